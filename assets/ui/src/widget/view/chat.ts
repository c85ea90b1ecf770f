import { ChatError, Client, NO_ANSWER } from '../client';
import { Conversation, textOf } from '../conversation';
import { add, button, dots, h, icon, iconButton, picture, type Child } from '../dom';
import { prepare, type PickedFile } from '../files';
import { keep, kept } from '../kept';
import { Look } from '../look';
import { fromHtml, renderMarkdown } from '../markdown/render';
import { link, safeLink } from '../markdown/inline';
import type { Message } from '../message';
import type { BotOptions } from '../options';
import type { ChatWindowTheme } from '../theme';
import { mergeLook, readConfig, readPrompts, type FlowConfig } from '../settings';
import { filled, texts, type Texts } from '../texts';
import { Composer } from './composer';
import { agreed, disclaimer } from './disclaimer';
import { leadForm, startForm } from './forms';
import { MessageView } from './message';

const NEAR_END = 64;
const SPOKEN_MAX = 1000;

/** The chat itself, in a bubble's panel or filling a page. */
export class Chat {
  readonly element = h('div', { class: 'chat' });
  readonly #client: Client;
  readonly #texts: Texts;
  readonly #look: Look;
  readonly #live = h('div', { class: 'sr', role: 'status', 'aria-live': 'polite' });
  readonly #log: HTMLElement;
  readonly #views = new Map<number, MessageView>();
  #config: FlowConfig = readConfig({});
  #window: ChatWindowTheme = {};
  #conversation: Conversation | undefined;
  #composer: Composer | undefined;
  /** The form that starts the flow, until it is answered. */
  #form: HTMLElement | undefined;
  #foot = h('div', { class: 'foot' });
  readonly #chips: HTMLElement;
  #frame = 0;
  #unfollow: (() => void) | undefined;

  constructor(
    root: HTMLElement,
    private readonly options: BotOptions,
    /** Closes the panel; absent where the chat is the page. */
    private readonly close?: () => void,
    /** Asked before anything else; what it refuses with is what the chat says. */
    private readonly gate?: () => Promise<void>,
  ) {
    this.#client = new Client(options);
    this.#texts = texts(options.texts, options.language);
    this.#look = new Look(root);
    this.#chips = h('div', { class: 'prompts', role: 'group', 'aria-label': this.#texts.suggestions });
    this.#log = h('div', {
      class: 'log',
      role: 'log',
      'aria-live': 'off',
      'aria-label': this.#texts.messages,
      tabindex: 0,
    });
    this.#dress();
    this.#loading();
  }

  /** Asks the service what this chat is, and shows it. */
  async load(): Promise<void> {
    let streaming = false;
    try {
      await this.gate?.();
      const [config, streams] = await Promise.all([this.#client.config(), this.#client.streams()]);
      this.#config = readConfig(config);
      this.#dress();
      const { state } = this.#config;
      if (state === 'unpublished') throw new ChatError(404, this.#texts.unpublished);
      if (state === 'unsupported') throw new ChatError(404);
      streaming = streams;
    } catch (fault) {
      let error = fault instanceof ChatError ? fault : new ChatError(NO_ANSWER);
      if (error.status === NO_ANSWER && (await this.#client.holdsBack())) error = new ChatError(403);
      this.#unavailable(error);
      return;
    }
    this.#conversation = new Conversation({
      client: this.#client,
      texts: this.#texts,
      errorMessage: this.#window.errorMessage,
      overrideConfig: this.options.chatflowConfig,
      streaming,
      changed: (finished) => this.#changed(finished),
    });
    this.#open();
    this.#begin();
  }

  /** Moves the focus in, where it is useful and brings up no keyboard unasked. */
  focus(): void {
    const { autoFocus } = this.#window.textInput ?? {};
    const wanted = autoFocus ?? matchMedia('(hover: hover)').matches;
    const agree = this.element.querySelector<HTMLElement>('.veil .primary');
    const field = wanted
      ? this.element.querySelector<HTMLElement>('form input:not([hidden]), form textarea')
      : null;
    (agree ?? field ?? this.#log).focus();
  }

  clear(): void {
    this.#conversation?.clear();
    this.#begin();
  }

  destroy(): void {
    this.#conversation?.clear();
    this.#unfollow?.();
    cancelAnimationFrame(this.#frame);
  }

  get title(): string {
    return this.#window.title || this.#texts.title;
  }

  #dress(): void {
    const theme = this.options.theme ?? {};
    this.#window = mergeLook(theme.chatWindow, this.#config.look);
    this.#unfollow?.();
    this.#unfollow = this.#look.follow(this.options, this.#window);
    this.#look.apply(theme, this.#window);
  }

  #head(): HTMLElement | undefined {
    const { titleAvatarSrc, showTitle } = this.#window;
    if (showTitle === false && !this.close) return undefined;
    const name = h(this.close ? 'h2' : 'h1', { class: 'title', dir: 'auto' }, this.title);
    const fresh = this.#conversation && iconButton('fresh', this.#texts.fresh, () => this.#fresh());
    const leave = this.close && iconButton('close', this.#texts.close, this.close, { class: 'ib leave' });
    return h('header', { class: 'head' }, picture(titleAvatarSrc, 'spark', 'face big'), name, fresh, leave);
  }

  #loading(): void {
    this.#stage(h('div', { class: 'closed' }, dots(h('span', { class: 'sr' }, this.#texts.loading))));
  }

  #unavailable({ status, sentence }: ChatError): void {
    const text = sentence ?? this.#texts[textOf(status)];
    const lasting = status >= 400 && status < 500 && status !== 429;
    const again = button(this.#texts.retry, () => {
      this.#loading();
      void this.load().then(() => this.focus());
    });
    this.#stage(
      h('div', { class: 'closed', role: 'alert' }, icon('alert'), h('p', {}, text), !lasting && again),
    );
  }

  #stage(...parts: Child[]): void {
    this.element.replaceChildren();
    add(this.element, [this.#head(), ...parts]);
  }

  #open(): void {
    const { headerHtml, footer } = this.#window;
    const header = headerHtml && h('div', { class: 'custom' }, this.#plain(fromHtml(headerHtml)));
    const body = h('div', { class: 'body' }, this.#log);
    this.#stage(header, body, this.#foot, footerOf(footer), this.#live);
    const { disclaimer: terms } = this.options.theme ?? {};
    if (!terms || agreed(this.options.chatflowid)) return;
    const rest = [body, this.#foot];
    for (const part of rest) part.inert = true;
    const done = (): void => {
      for (const part of rest) part.inert = false;
      this.focus();
    };
    this.element.append(disclaimer(this.options.chatflowid, terms, this.#texts, done, this.close));
  }

  /** The start of a conversation: welcome, then who is there, a form, or the field for questions. */
  #begin(): void {
    const { leads, form } = this.#config;
    const conversation = this.#conversation;
    if (!conversation) return;
    this.#log.replaceChildren();
    this.#views.clear();
    const welcome = this.#window.welcomeMessage ?? this.#texts.welcome;
    if (welcome !== '' && !form) conversation.say(welcome);
    this.#composer = undefined;
    if (leads) conversation.leadEmail ??= kept('localStorage', this.#leadKey) ?? undefined;
    if (leads && conversation.leadEmail === undefined) this.#askWho();
    else this.#start();
    this.#changed();
  }

  #start(): void {
    const { form } = this.#config;
    if (!form) return this.#showComposer();
    this.#form = startForm(form, this.#texts, (values, shown) => {
      this.#showComposer();
      this.focus();
      void this.#conversation?.ask({ form: values, shown });
    });
    this.#foot.replaceChildren(this.#form);
  }

  get #leadKey(): string {
    return `chat-lead:${this.options.chatflowid}`;
  }

  #askWho(): void {
    const { leads } = this.#config;
    if (!leads) return;
    const card = leadForm(leads, this.#texts, async (lead) => {
      try {
        await this.#client.lead(lead);
      } catch {
        return this.#texts.unsent;
      }
      const email = lead.email ?? '';
      keep('localStorage', this.#leadKey, email);
      if (this.#conversation) this.#conversation.leadEmail = email;
      const thanks = leads.successMessage ?? this.#texts.thanks;
      card.remove();
      this.#conversation?.say(thanks);
      this.#start();
      this.#changed();
      this.#tell(thanks);
      this.focus();
      return undefined;
    });
    this.#foot.replaceChildren(card);
  }

  #fresh(): void {
    this.clear();
    this.focus();
  }

  #showComposer(): void {
    this.#composer ??= new Composer({
      texts: this.#texts,
      theme: this.#window.textInput ?? {},
      rules: this.#config.uploads,
      send: (text, files) => this.#send(text, files),
      stop: () => this.#conversation?.stop(),
      typed: (text) => this.options.observersConfig?.observeUserInput?.(text),
    });
    this.#foot.replaceChildren(this.#chips, this.#composer.element);
  }

  async #send(text: string, picked: PickedFile[]): Promise<boolean> {
    const uploads = picked.length > 0 ? () => prepare(picked, this.#client) : undefined;
    this.#toEnd();
    try {
      return (await this.#conversation?.ask({ question: text, shown: text }, uploads)) ?? false;
    } catch (fault) {
      const { sentence } = fault as Partial<ChatError>;
      this.#composer?.warn(sentence ?? this.#texts.unsent);
      return false;
    }
  }

  #changed(finished?: Message): void {
    if (finished) this.#ended(finished);
    if (this.#frame !== 0) return;
    const draw = (): void => {
      this.#frame = 0;
      this.#draw();
    };
    // Frames stop in a hidden tab, answers do not.
    this.#frame = document.hidden ? window.setTimeout(draw, 50) : requestAnimationFrame(draw);
  }

  #draw(): void {
    const conversation = this.#conversation;
    if (!conversation) return;
    const follow = this.#atEnd();
    const { messages } = conversation;
    const keys = new Set(messages.map(({ key }) => key));
    for (const [key, view] of this.#views) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.#views.delete(key);
    }
    for (const message of messages) {
      const view = this.#views.get(message.key) ?? this.#show(message);
      view.update();
    }
    this.#prompts();
    if (this.#composer) this.#composer.busy = conversation.busy;
    if (follow) this.#toEnd();
    const { observeMessages, observeLoading } = this.options.observersConfig ?? {};
    observeMessages?.(messages.map((message) => ({ ...message })));
    observeLoading?.(conversation.busy);
  }

  #show(message: Message): MessageView {
    const conversation = this.#conversation;
    const view = new MessageView(message, {
      client: this.#client,
      texts: this.#texts,
      look: this.#window,
      title: this.title,
      feedback: this.#config.feedback,
      retry: () => {
        this.#showComposer();
        void conversation?.retry();
      },
      act: (type, label, startNodeId, comment) => {
        if (!conversation || conversation.busy) return false;
        const shown = comment === '' ? label : `${label}: ${comment}`;
        const answer = type.includes('approve') ? 'proceed' : 'reject';
        void conversation.ask(
          type.includes('agentflowv2')
            ? { humanInput: { type: answer, startNodeId, feedback: comment }, shown }
            : { question: label, shown },
        );
        this.#log.focus();
        return true;
      },
      tell: (text) => this.#tell(text),
    });
    this.#views.set(message.key, view);
    this.#log.append(view.element);
    return view;
  }

  #prompts(): void {
    const { messages = [], busy = false } = this.#conversation ?? {};
    const fresh = !messages.some(({ type }) => type === 'userMessage');
    const starters = readPrompts(this.#window.starterPrompts);
    const wanted = fresh
      ? starters.length > 0
        ? starters
        : this.#config.starters
      : (messages.at(-1)?.followUps ?? []);
    const shown = busy || !this.#composer ? [] : wanted;
    const key = shown.join('\n');
    if (this.#chips.dataset.key === key) return;
    this.#chips.dataset.key = key;
    const buttons = shown.map((prompt) =>
      button(
        prompt,
        () => {
          this.focus();
          void this.#send(prompt, []);
        },
        'prompt',
      ),
    );
    this.#chips.replaceChildren(...buttons);
  }

  #ended({ type, message }: Message): void {
    // A flow goes on by questions once it has its form; one that failed is filled in again.
    if (type !== 'error') this.#form = undefined;
    else if (this.#form) this.#foot.replaceChildren(this.#form);
    const text = type === 'error' ? message : this.#plain(message).textContent;
    this.#tell(type === 'error' ? text : filled(this.#texts.answered, { text: text.slice(0, SPOKEN_MAX) }));
  }

  #tell(text: string): void {
    // The same words twice must be said twice.
    this.#live.textContent = this.#live.textContent === text ? `${text}\u00a0` : text;
  }

  #plain(text: string): HTMLElement {
    return renderMarkdown(text, { ownOrigin: this.#client.origin, copyLabel: this.#texts.copy });
  }

  #atEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  #toEnd(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }
}

function footerOf(footer: ChatWindowTheme['footer']): Child {
  const { showFooter, text, company, companyLink } = footer ?? {};
  if (showFooter === false || (!text && !company)) return undefined;
  const href = safeLink(companyLink ?? '');
  return h('footer', { class: 'footer' }, text, ' ', href ? link(href, [company ?? href]) : company);
}
