import { afterEach, describe, expect, test, vi } from 'vitest';
import { readStream, type StreamEvent } from '../core/sse';
import { ChatError, Client, NO_ANSWER } from './client';

const WIRE =
  'message:\ndata:{"event":"start","data":""}\n\n:heartbeat\nmessage:\ndata:{"event":"token","data":"Grüße 👋 data\\u003a"}\n\nmessage:\r\ndata:{"event":"metadata","data":{"chatId":"c1"}}\r\n\r\nmessage:\ndata:{"event":"end","data":"[DONE]"}\n\n';
const BYTES = new TextEncoder().encode(WIRE);

function body(...pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(control) {
      for (const piece of pieces) control.enqueue(piece);
      control.close();
    },
  });
}

async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of stream) found.push(event);
  return found;
}

function serve(...answers: (() => Response)[]): RequestInit[] {
  const seen: RequestInit[] = [];
  vi.stubGlobal('fetch', (_: string, request: RequestInit) => {
    seen.push(request);
    const answer = answers.shift();
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('no network'));
  });
  return seen;
}

const stream =
  (headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body(BYTES), { headers: { 'content-type': 'text/event-stream', ...headers } });
const client = (): Client => new Client({ chatflowid: 'f1', apiHost: 'https://chat.example/' });
const never = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

describe('a streamed answer', () => {
  test('is the same wherever its bytes are cut', async () => {
    const whole = await collect(readStream(body(BYTES)));
    expect(whole.map(({ event }) => event)).toEqual(['start', 'token', 'metadata', 'end']);
    expect(whole[1]?.data).toBe('Grüße 👋 data:');
    for (let cut = 1; cut < BYTES.length; cut += 1) {
      expect(await collect(readStream(body(BYTES.slice(0, cut), BYTES.slice(cut))))).toEqual(whole);
    }
    expect(await collect(readStream(body(...[...BYTES].map((byte) => Uint8Array.of(byte)))))).toEqual(whole);
  });

  test('gives the proof that the next question sends back', async () => {
    const chat = client();
    const seen = serve(stream({ 'x-service-session-token': 'proof' }), stream());
    await collect(chat.ask({ question: 'one' }, true, never));
    chat.chatId = 'c1';
    await collect(chat.ask({ question: 'two' }, true, never));
    expect(seen.map(({ headers }) => (headers as Record<string, string>)['x-service-session-token'])).toEqual(
      [undefined, 'proof'],
    );
    expect(JSON.parse(seen[1]?.body as string)).toEqual({ question: 'two', chatId: 'c1', streaming: true });
    chat.forget();
    serve(stream());
    await collect(chat.ask({ question: 'three' }, true, never));
    expect(chat.chatId).toBeUndefined();
  });
});

test('a whole answer becomes the same events', async () => {
  serve(() =>
    Response.json({ text: 'Hi', chatId: 'c1', chatMessageId: 'm1', sourceDocuments: [{ pageContent: 'p' }] }),
  );
  const events = await collect(client().ask({ question: 'x' }, false, never));
  expect(events.map(({ event }) => event)).toEqual(['token', 'sourceDocuments', 'metadata', 'end']);
  expect(events[0]?.data).toBe('Hi');
});

describe('refusals', () => {
  const refused = async (make: () => Response): Promise<ChatError> => {
    serve(make);
    return collect(client().ask({ question: 'x' }, true, never)).then(
      () => new ChatError(200),
      (fault: unknown) => fault as ChatError,
    );
  };
  const plain =
    (status: number, text: string, headers: Record<string, string> = {}) =>
    () =>
      new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } });

  test('a sentence of the owner is kept as text', async () => {
    const error = await refused(plain(429, 'Slow <b>down</b>', { 'retry-after': '12' }));
    expect([error.status, error.sentence, error.retryAfter]).toEqual([429, 'Slow <b>down</b>', 12]);
    expect((await refused(plain(403, 'Not here'))).sentence).toBe('Not here');
  });

  test('what the service tells developers is not shown', async () => {
    const json = (status: number) => () => Response.json({ message: 'Card x failed' }, { status });
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      expect((await refused(json(status))).sentence).toBeUndefined();
    }
    expect((await refused(plain(500, 'stack'))).sentence).toBeUndefined();
  });

  test('no answer at all is status 0', async () => {
    serve();
    await expect(client().config()).rejects.toMatchObject({ status: NO_ANSWER });
  });

  test('what can be read from any site tells a service that is away from one that keeps answers back', async () => {
    serve(() => new Response('the widget'));
    expect(await client().holdsBack()).toBe(true);
    serve();
    expect(await client().holdsBack()).toBe(false);
    serve(() => new Response('the widget'));
    expect(await new Client({ chatflowid: 'f1', apiHost: location.origin }).holdsBack()).toBe(false);
  });
});

test('files are stored in the conversation, which begins with them', async () => {
  const seen = serve(
    () => Response.json({ numAdded: 1, chatId: 'c1' }, { headers: { 'x-service-session-token': 'proof' } }),
    () => Response.json({ numAdded: 1, chatId: 'c1' }),
  );
  const chat = client();
  await chat.store([new File(['x'], 'a.txt')]);
  expect(chat.chatId).toBe('c1');
  await chat.store([new File(['y'], 'b.txt')]);
  const sent = seen.map(({ body }) => body as FormData);
  expect(sent.map((form) => form.get('chatId'))).toEqual([null, 'c1']);
  expect(sent.map((form) => (form.get('files') as File).name)).toEqual(['a.txt', 'b.txt']);
  expect((seen[1]?.headers as Record<string, string>)['x-service-session-token']).toBe('proof');
});

test('a page may change each request', async () => {
  const seen = serve(() => Response.json({ isStreaming: true }));
  const chat = new Client({
    chatflowid: 'f1',
    apiHost: 'https://chat.example',
    onRequest: (request) => {
      request.headers = { ...request.headers, authorization: 'Bearer k' };
    },
  });
  expect(await chat.streams()).toBe(true);
  expect(seen[0]?.headers).toEqual({ authorization: 'Bearer k' });
});
