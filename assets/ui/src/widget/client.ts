import { readStream, type StreamEvent } from '../core/sse';
import { eventsOf } from './message';
import type { BotOptions } from './options';

/** The status where no answer came at all. */
export const NO_ANSWER = 0;

/** A refusal. */
export class ChatError extends Error {
  constructor(
    readonly status: number,
    /** The owner's own sentence for the person who asks, if the service sent one. */
    readonly sentence?: string,
    readonly retryAfter?: number,
  ) {
    super();
  }
}

export interface Lead {
  name?: string;
  email?: string;
  phone?: string;
}

const TOKEN = 'x-service-session-token';
/** Tells the conversation before the answer ends, where the service sends it. */
const CHAT_ID = 'x-service-chat-id';
const SENTENCE_MAX = 500;

/** Speaks with the service for one flow. The proof of the conversation lives here and nowhere else. */
export class Client {
  readonly host: string;
  chatId: string | undefined;
  #token: string | undefined;

  constructor(private readonly options: Pick<BotOptions, 'chatflowid' | 'apiHost' | 'onRequest'>) {
    this.host = (options.apiHost ?? ownHost()).replace(/\/+$/, '');
  }

  get origin(): string {
    return new URL(this.host, location.href).origin;
  }

  get #flow(): string {
    return encodeURIComponent(this.options.chatflowid);
  }

  config(): Promise<unknown> {
    return this.#json('GET', `/public-chatbotConfig/${this.#flow}`);
  }

  /** Whether another site's service can be read where no list decides: then one keeps the rest back. */
  async holdsBack(): Promise<boolean> {
    if (this.origin === location.origin) return false;
    return fetch(`${this.host}/widget.js`).then(
      () => true,
      () => false,
    );
  }

  async streams(): Promise<boolean> {
    const answer = await this.#json('GET', `/chatflows-streaming/${this.#flow}`);
    return (answer as { isStreaming?: unknown } | null)?.isStreaming === true;
  }

  /** Asks; the events come as the service writes them, or at once where it does not stream. */
  async *ask(
    body: Record<string, unknown>,
    streaming: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const whole = {
      ...body,
      ...(this.chatId ? { chatId: this.chatId } : {}),
      ...(streaming ? { streaming } : {}),
    };
    const response = await this.#send('POST', `/prediction/${this.#flow}`, JSON.stringify(whole), signal);
    const kind = response.headers.get('content-type') ?? '';
    if (kind.startsWith('text/event-stream') && response.body) yield* readStream(response.body);
    else yield* eventsOf(await response.json());
  }

  /** Ends the run on the service. Without a conversation only the connection can be closed. */
  async abort(): Promise<void> {
    if (!this.chatId) return;
    await this.#send('PUT', `/chatmessage/abort/${this.#flow}/${encodeURIComponent(this.chatId)}`);
  }

  /** Rates an answer; the id is needed to add a comment. */
  async rate(messageId: string, rating: string): Promise<string | undefined> {
    const body = { chatflowid: this.options.chatflowid, chatId: this.chatId, messageId, rating, content: '' };
    const row = await this.#json('POST', `/feedback/${this.#flow}`, body);
    return (row as { id?: string } | null)?.id;
  }

  async comment(feedbackId: string, content: string): Promise<void> {
    await this.#json('PUT', `/feedback/${encodeURIComponent(feedbackId)}`, { content });
  }

  /** Leaves a lead; the conversation begins with it if there is none. */
  async lead(lead: Lead): Promise<void> {
    await this.#json('POST', '/leads', { chatflowid: this.options.chatflowid, chatId: this.chatId, ...lead });
  }

  /** The text of documents. */
  async attach(files: File[]): Promise<{ name: string; content: string }[]> {
    // Nothing is stored under this name; the address must have one.
    const path = `/attachments/${this.#flow}/${encodeURIComponent(this.chatId ?? 'new')}`;
    const answer: unknown = await (await this.#send('POST', path, formOf(files))).json();
    return Array.isArray(answer) ? (answer as { name: string; content: string }[]) : [];
  }

  /** Stores files for this conversation, where the flow finds them; the conversation begins with it if there is none. */
  async store(files: File[]): Promise<void> {
    const form = formOf(files);
    if (this.chatId) form.append('chatId', this.chatId);
    const stored = await this.#send('POST', `/vector/upsert/${this.#flow}`, form);
    const { chatId } = (await stored.json()) as { chatId?: unknown };
    if (typeof chatId === 'string') this.chatId = chatId;
  }

  /** The next question starts a new conversation. */
  forget(): void {
    this.chatId = undefined;
    this.#token = undefined;
  }

  async #json(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.#send(method, path, body === undefined ? undefined : JSON.stringify(body));
    return response.json().catch(() => null);
  }

  async #send(
    method: string,
    path: string,
    body?: string | FormData,
    signal?: AbortSignal,
  ): Promise<Response> {
    const headers: Record<string, string> = {};
    if (typeof body === 'string') headers['content-type'] = 'application/json';
    if (this.#token && method !== 'GET') headers[TOKEN] = this.#token;
    const request: RequestInit = { method, headers, body, signal };
    await this.options.onRequest?.(request);
    const response = await fetch(`${this.host}/api/v1${path}`, request).catch((fault: unknown) => {
      if (signal?.aborted) throw fault;
      throw new ChatError(NO_ANSWER);
    });
    if (!response.ok) throw await refusal(response);
    this.#token = response.headers.get(TOKEN) ?? this.#token;
    this.chatId = response.headers.get(CHAT_ID) ?? this.chatId;
    return response;
  }
}

function formOf(files: File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  return form;
}

/** Only plain text is meant for the person who asks: the owner wrote it. What is JSON is for the page's author. */
async function refusal(response: Response): Promise<ChatError> {
  const { status, headers } = response;
  const body = (await response.text().catch(() => '')).trim();
  const own = [403, 429].includes(status) && !headers.get('content-type')?.includes('json');
  const wait = Math.ceil(Number(headers.get('retry-after')));
  return new ChatError(
    status,
    (own && body.slice(0, SENTENCE_MAX)) || undefined,
    wait > 0 && wait < 86_400 ? wait : undefined,
  );
}

/** The service this script was loaded from: it lies at the path before all addresses of the service. */
function ownHost(): string {
  return new URL('.', new URL(import.meta.url, location.href)).href;
}
