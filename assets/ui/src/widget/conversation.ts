import { ChatError, NO_ANSWER, type Client } from './client';
import { applyEvent, type Message, type Upload } from './message';
import { TEXTS, type TextKey, type Texts } from './texts';

/** What one question carries. */
export interface Question {
  question?: string;
  form?: Record<string, unknown>;
  uploads?: Upload[];
  humanInput?: { type: string; startNodeId?: string; feedback?: string };
  /** What the conversation shows for it. */
  shown: string;
}

export type Phase = 'idle' | 'preparing' | 'asking' | 'answering' | 'stopping';

export interface ConversationOptions {
  client: Client;
  texts: Texts;
  errorMessage?: string;
  overrideConfig?: Record<string, unknown>;
  streaming: boolean;
  /** Called after each change of the messages or the phase. */
  changed: (finished?: Message) => void;
}

const STOP_PATIENCE_MS = 2000;

/** The messages of one chat and what it is doing. At most one question is under way. */
export class Conversation {
  messages: Message[] = [];
  phase: Phase = 'idle';
  /** Of who left a lead; empty without an e-mail address. */
  leadEmail: string | undefined;
  #last: Question | undefined;
  #abort: AbortController | undefined;
  #key = 0;

  constructor(private readonly options: ConversationOptions) {}

  get busy(): boolean {
    return this.phase !== 'idle';
  }

  /** Shows an answer that was not asked for, such as a welcome. */
  say(message: string): Message {
    const made = this.#add('apiMessage', message);
    made.state = 'done';
    return made;
  }

  /**
   * Asks, once `uploads` are made ready; their failure is the caller's. False when the question was not taken: another
   * one is under way, or this one was stopped before it was sent.
   */
  async ask(ask: Question, uploads?: () => Promise<Upload[]>): Promise<boolean> {
    if (this.busy) return false;
    if (uploads) {
      const control = this.#enter('preparing');
      this.options.changed();
      ask.uploads = await uploads().catch((fault: unknown) => {
        if (this.#abort === control) this.#rest();
        throw fault;
      });
      if (this.#abort !== control) return false;
    }
    this.#last = ask;
    this.#dropErrors();
    for (const message of this.messages) delete message.followUps;
    const question = this.#add('userMessage', ask.shown);
    question.state = 'done';
    question.fileUploads = ask.uploads;
    await this.#run(ask);
    return true;
  }

  #enter(phase: Phase): AbortController {
    this.phase = phase;
    return (this.#abort = new AbortController());
  }

  #rest(): void {
    this.#abort = undefined;
    this.phase = 'idle';
    this.options.changed();
  }

  /** Asks the last question again. */
  async retry(): Promise<void> {
    if (this.busy || !this.#last) return;
    this.#dropErrors();
    await this.#run(this.#last);
  }

  stop(): void {
    if (this.phase === 'preparing') return this.#rest();
    if (this.phase !== 'asking' && this.phase !== 'answering') return;
    const control = this.#abort;
    this.phase = 'stopping';
    this.options.changed();
    // The service ends the answer properly when it knows the conversation; else leaving ends it.
    const patience = this.options.client.chatId ? STOP_PATIENCE_MS : 0;
    void this.options.client.abort().catch(() => control?.abort());
    setTimeout(() => control?.abort(), patience);
  }

  clear(): void {
    this.#abort?.abort();
    this.messages = [];
    this.#last = undefined;
    this.options.client.forget();
    this.#rest();
  }

  #add(type: Message['type'], message: string): Message {
    this.#key += 1;
    const dateTime = new Date().toISOString();
    const made: Message = { key: this.#key, type, message, state: 'writing', dateTime };
    this.messages.push(made);
    return made;
  }

  #dropErrors(): void {
    this.messages = this.messages.filter(({ type }) => type !== 'error');
  }

  async #run(ask: Question): Promise<void> {
    const control = this.#enter('asking');
    const answer = this.#add('apiMessage', '');
    this.options.changed();
    let fault: unknown;
    try {
      await this.#read(ask, answer, control);
    } catch (caught) {
      fault = caught;
    }
    // A cleared chat has nothing to say about what it was doing.
    if (this.#abort !== control) return;
    this.#abort = undefined;
    this.#finish(answer, fault);
  }

  async #read(ask: Question, answer: Message, control: AbortController): Promise<void> {
    const { client, overrideConfig, streaming } = this.options;
    const body: Partial<Question> = { ...ask };
    delete body.shown;
    const whole = {
      ...body,
      ...(overrideConfig ? { overrideConfig } : {}),
      ...(this.leadEmail ? { leadEmail: this.leadEmail } : {}),
    };
    let ended = false;
    for await (const event of client.ask(whole, streaming, control.signal)) {
      if (this.#abort !== control) return;
      if (this.phase === 'asking') this.phase = 'answering';
      const effect = applyEvent(answer, event);
      if (effect === 'failed') throw new ChatError(200);
      if (typeof effect === 'object') client.chatId = effect.chatId;
      if (effect === 'ended') ended = true;
      else this.options.changed();
    }
    if (!ended) throw new ChatError(NO_ANSWER);
  }

  #finish(answer: Message, fault: unknown): void {
    const stopped = this.phase === 'stopping';
    this.phase = 'idle';
    const empty = answer.message === '' && !answer.action && !answer.usedTools && !answer.sourceDocuments;
    answer.state = stopped || answer.state === 'stopped' ? 'stopped' : 'done';
    if (fault === undefined || stopped) {
      this.options.changed(answer);
      return;
    }
    if (empty) this.messages.splice(this.messages.indexOf(answer), 1);
    this.options.changed(this.#failure(fault));
  }

  #failure(fault: unknown): Message {
    const error = fault instanceof ChatError ? fault : new ChatError(500);
    const made = this.#add('error', this.#sentence(error));
    made.state = 'done';
    made.retryAfter = error.retryAfter;
    made.final = [401, 404].includes(error.status) || (error.status === 403 && error.sentence !== undefined);
    return made;
  }

  #sentence({ status, sentence }: ChatError): string {
    if (sentence !== undefined) return sentence;
    const { texts, errorMessage } = this.options;
    if (status === 200) return errorMessage ?? texts.errorStream;
    return texts[textOf(status)];
  }
}

/** The text that stands for a status. */
export function textOf(status: number): TextKey {
  if (status === NO_ANSWER) return 'errorNetwork';
  const exact = `error${status}`;
  if (exact in TEXTS) return exact as TextKey;
  return status >= 400 && status < 500 ? 'error400' : 'error500';
}
