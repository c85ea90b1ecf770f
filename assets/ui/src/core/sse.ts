/** Reads a stream of server-sent events as the service writes them. */

export interface StreamEvent {
  event: string;
  data: unknown;
}

/** Takes pieces of text as they arrive and gives whole events. Comments (keep-alive) are left out. */
export class StreamParser {
  #rest = '';
  #data: string[] = [];
  #name = '';

  push(piece: string): StreamEvent[] {
    const out: StreamEvent[] = [];
    this.#rest += piece;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (!end) return out;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = this.#line(line);
      if (event) out.push(event);
    }
  }

  /** What is left when the stream has ended without a last empty line. */
  end(): StreamEvent[] {
    const last = this.push('\n\n');
    this.#rest = '';
    return last;
  }

  #line(line: string): StreamEvent | null {
    if (line === '') return this.#finish();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#name = value;
    return null;
  }

  #finish(): StreamEvent | null {
    const text = this.#data.join('\n');
    const name = this.#name;
    this.#data = [];
    this.#name = '';
    if (!text) return null;
    try {
      const read: unknown = JSON.parse(text);
      if (typeof read === 'object' && read !== null && 'event' in read && typeof read.event === 'string') {
        return { event: read.event, data: 'data' in read ? read.data : undefined };
      }
      return { event: name || 'message', data: read };
    } catch {
      return { event: name || 'message', data: text };
    }
  }
}

/** Reads the events of an answer as they arrive. */
export async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new StreamParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
    yield* parser.push(decoder.decode());
    yield* parser.end();
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
