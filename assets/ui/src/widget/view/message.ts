import type { Client } from '../client';
import { button, copyButton, dots, h, icon, picture } from '../dom';
import { MarkdownView } from '../markdown/render';
import type { Message, Upload } from '../message';
import type { ChatWindowTheme } from '../theme';
import { filled, type Texts } from '../texts';
import { extras } from './extras';
import { feedback } from './feedback';

/** What messages need of the chat around them. */
export interface Surroundings {
  client: Client;
  texts: Texts;
  look: ChatWindowTheme;
  title: string;
  feedback: boolean;
  retry: () => void;
  /** False when it was not taken, as while another question is under way. */
  act: (type: string, label: string, nodeId: string | undefined, comment: string) => boolean;
  tell: (text: string) => void;
}

/** One message on the screen. */
export class MessageView {
  readonly element: HTMLElement;
  readonly #markdown: MarkdownView;
  readonly #bubble = h('div', { class: 'bubble' });
  readonly #below = h('div', { class: 'below' });
  readonly #writing: HTMLElement;
  #complete = false;

  constructor(
    private readonly message: Message,
    private readonly around: Surroundings,
  ) {
    const { client, texts, look, title } = around;
    const user = message.type === 'userMessage';
    const theme = user ? look.userMessage : look.botMessage;
    const side = user ? 'user' : message.type === 'error' ? 'bot failed' : 'bot';
    const said = user ? texts.youSaid : filled(texts.botSaid, { name: title });
    this.#markdown = new MarkdownView({ ownOrigin: client.origin, copyLabel: texts.copy });
    this.#writing = dots(h('span', { class: 'doing' }));
    const column = h('div', { class: 'column' }, h('span', { class: 'sr' }, said), this.#bubble, this.#below);
    const avatar = theme?.showAvatar === true && picture(theme.avatarSrc, user ? 'chat' : 'spark', 'face');
    this.element = h('div', { class: `message ${side}` }, avatar, column);
    if (message.type === 'error') this.#error();
    else if (user) this.#question();
    this.update();
  }

  update(): void {
    const { message } = this;
    if (message.type !== 'apiMessage' || this.#complete) return;
    if (message.message !== '') {
      this.#markdown.update(message.message);
      if (!this.#markdown.element.parentNode) this.#bubble.prepend(this.#markdown.element);
    }
    if (message.state === 'writing') this.#progress();
    else this.#finish();
  }

  #progress(): void {
    const { message, around } = this;
    const doing = this.#writing.lastElementChild;
    const step = around.look.showAgentMessages ? message.step : undefined;
    if (doing) doing.textContent = step ?? '';
    if (message.message === '' || step) this.#bubble.append(this.#writing);
    else this.#writing.remove();
  }

  #finish(): void {
    const { message, around } = this;
    this.#complete = true;
    this.#writing.remove();
    if (message.message === '') this.#bubble.remove();
    if (message.state === 'stopped') this.#below.append(h('p', { class: 'muted' }, around.texts.stopped));
    if (message.action) this.#action();
    this.#below.append(...extras(message, around.texts, around.look.sourceDocsTitle));
    const row = h('div', { class: 'tools-row' });
    if (message.messageId && message.message !== '')
      row.append(copyButton(message.message, around.texts.copy));
    if (message.messageId && around.feedback)
      row.append(feedback(message, around.client, around.texts, around.tell));
    if (row.childElementCount > 0) this.#below.append(row);
  }

  #question(): void {
    const { message } = this;
    if (message.message !== '') this.#bubble.append(h('p', { class: 'pre', dir: 'auto' }, message.message));
    else this.#bubble.remove();
    if (message.fileUploads?.length)
      this.#below.append(h('div', { class: 'files' }, ...message.fileUploads.map(sent)));
  }

  #error(): void {
    const { message, around } = this;
    this.#bubble.append(icon('alert'), h('p', { class: 'pre', dir: 'auto' }, message.message));
    if (message.final) return;
    const again = button(around.texts.retry, around.retry);
    this.#bubble.append(again);
    if (message.retryAfter) wait(again, message.retryAfter, around.texts);
  }

  #action(): void {
    const { action } = this.message;
    if (!action) return;
    const { texts, act } = this.around;
    const field = h('textarea', {
      rows: 2,
      'aria-label': texts.actionComment,
      placeholder: texts.actionComment,
    });
    const box = h('div', { class: 'action' }, action.wantsComment && field);
    for (const { type, label } of action.buttons) {
      const choose = (): void => {
        if (act(type, label, action.nodeId, field.value.trim())) box.remove();
      };
      box.append(button(label, choose, type.includes('reject') ? '' : 'primary'));
    }
    this.#below.append(box);
  }
}

/** The button counts down what the service asked to wait. */
function wait(again: HTMLButtonElement, seconds: number, texts: Texts): void {
  const until = Date.now() + seconds * 1000;
  const show = (): void => {
    const left = Math.ceil((until - Date.now()) / 1000);
    again.disabled = left > 0;
    again.textContent = left > 0 ? filled(texts.retryIn, { seconds: left }) : texts.retry;
    if (left > 0) setTimeout(show, 500);
  };
  show();
}

function sent(upload: Upload): HTMLElement {
  if (upload.type === 'file' && upload.data) return h('img', { src: upload.data, alt: upload.name });
  return h('span', { class: 'file' }, icon('file'), h('span', { dir: 'auto' }, upload.name));
}
