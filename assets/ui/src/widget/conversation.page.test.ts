import { describe, expect, test, vi } from 'vitest';
import type { StreamEvent } from '../core/sse';
import { ChatError, type Client } from './client';
import { Conversation, textOf } from './conversation';
import { texts, TEXTS } from './texts';

type Answer = (signal: AbortSignal) => AsyncGenerator<StreamEvent>;

function setup(...answers: Answer[]) {
  const bodies: Record<string, unknown>[] = [];
  const client = {
    chatId: undefined as string | undefined,
    ask: (body: Record<string, unknown>, _: boolean, signal: AbortSignal) => {
      bodies.push(body);
      const answer = answers.shift();
      if (!answer) throw new Error('no more answers');
      return answer(signal);
    },
    abort: vi.fn(() => Promise.resolve()),
    forget: vi.fn(),
  };
  const finished: string[] = [];
  const conversation = new Conversation({
    client: client as unknown as Client,
    texts: texts({ errorStream: 'It broke.' }),
    streaming: true,
    changed: (message) => message && finished.push(`${message.type} ${message.state}`),
  });
  return { conversation, client, bodies, finished };
}

async function* events(...list: [string, unknown][]): AsyncGenerator<StreamEvent> {
  for (const [event, data] of list) yield await Promise.resolve({ event, data });
}

const good: Answer = () =>
  events(
    ['start', ''],
    ['token', 'He'],
    ['token', 'llo'],
    ['metadata', { chatId: 'c1', chatMessageId: 'm1', followUpPrompts: '["More?"]' }],
    ['end', '[DONE]'],
  );
const refuse = (error: ChatError): Answer =>
  async function* () {
    yield* [];
    throw await Promise.resolve(error);
  };

describe('a conversation', () => {
  test('takes an answer in and keeps who it is', async () => {
    const { conversation, client, finished } = setup(good);
    await conversation.ask({ question: 'Hi', shown: 'Hi' });
    expect(conversation.phase).toBe('idle');
    expect(conversation.messages.map(({ type, message }) => [type, message])).toEqual([
      ['userMessage', 'Hi'],
      ['apiMessage', 'Hello'],
    ]);
    expect(conversation.messages[1]).toMatchObject({ state: 'done', messageId: 'm1', followUps: ['More?'] });
    expect(client.chatId).toBe('c1');
    expect(finished).toEqual(['apiMessage done']);
  });

  test('has one question under way', async () => {
    const { conversation, bodies } = setup(good);
    const first = conversation.ask({ question: 'one', shown: 'one' });
    await conversation.ask({ question: 'two', shown: 'two' });
    await first;
    expect(bodies).toEqual([{ question: 'one' }]);
  });

  test('is busy while files are made ready, and takes nothing else', async () => {
    const { conversation, bodies } = setup(good);
    const upload = { type: 'file:full', name: 'a.txt', mime: 'text/plain', data: 'A' } as const;
    let ready = (): void => undefined;
    const files = new Promise<void>((done) => (ready = done)).then(() => [upload]);
    const first = conversation.ask({ question: 'one', shown: 'one' }, () => files);
    expect(conversation.phase).toBe('preparing');
    expect(await conversation.ask({ question: 'two', shown: 'two' })).toBe(false);
    ready();
    expect(await first).toBe(true);
    expect(bodies).toEqual([{ question: 'one', uploads: [upload] }]);
    expect(conversation.messages.map(({ message }) => message)).toEqual(['one', 'Hello']);
  });

  test('gives a question back that was stopped or failed before it was sent', async () => {
    const { conversation, bodies } = setup(good);
    let ready = (): void => undefined;
    const files = new Promise<void>((done) => (ready = done)).then(() => []);
    const stopped = conversation.ask({ question: 'one', shown: 'one' }, () => files);
    conversation.stop();
    expect(conversation.busy).toBe(false);
    ready();
    expect(await stopped).toBe(false);
    await expect(
      conversation.ask({ question: 'two', shown: 'two' }, () => Promise.reject(new ChatError(500))),
    ).rejects.toThrow(ChatError);
    expect(conversation.busy).toBe(false);
    expect(await conversation.ask({ question: 'three', shown: 'three' })).toBe(true);
    expect(bodies).toEqual([{ question: 'three' }]);
  });

  test('a refusal can be tried again without asking twice', async () => {
    const { conversation, bodies } = setup(refuse(new ChatError(503, undefined, 3)), good);
    await conversation.ask({ question: 'Hi', shown: 'Hi' });
    expect(conversation.messages.at(-1)).toMatchObject({
      type: 'error',
      message: TEXTS.error503,
      retryAfter: 3,
      final: false,
    });
    await conversation.retry();
    expect(conversation.messages.map(({ type }) => type)).toEqual(['userMessage', 'apiMessage']);
    expect(bodies.length).toBe(2);
  });

  test('an error in the stream keeps what was said and shows the own text', async () => {
    const { conversation } = setup(() =>
      events(['token', 'Half'], ['error', 'Card "x" failed'], ['end', '[DONE]']),
    );
    await conversation.ask({ question: 'Hi', shown: 'Hi' });
    expect(conversation.messages.map(({ message }) => message)).toEqual(['Hi', 'Half', 'It broke.']);
  });

  test('a stream that is cut off is an error', async () => {
    const { conversation } = setup(() => events(['token', 'Half']));
    await conversation.ask({ question: 'Hi', shown: 'Hi' });
    expect(conversation.messages.at(-1)?.message).toBe(TEXTS.errorNetwork);
  });

  test('Stop ends the answer and keeps it', async () => {
    const waiting: Answer = async function* (signal) {
      yield { event: 'token', data: 'Half' };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const { conversation, client } = setup(waiting);
    const asked = conversation.ask({ question: 'Hi', shown: 'Hi' });
    await vi.waitFor(() => expect(conversation.phase).toBe('answering'));
    conversation.stop();
    expect(conversation.phase).toBe('stopping');
    await asked;
    expect(client.abort).toHaveBeenCalledOnce();
    expect(conversation.phase).toBe('idle');
    expect(conversation.messages.at(-1)).toMatchObject({
      type: 'apiMessage',
      message: 'Half',
      state: 'stopped',
    });
  });

  test('clearing forgets the conversation, whatever it does', async () => {
    const waiting: Answer = async function* (signal) {
      yield { event: 'token', data: 'Half' };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const { conversation, client } = setup(waiting, good);
    const asked = conversation.ask({ question: 'Hi', shown: 'Hi' });
    await vi.waitFor(() => expect(conversation.phase).toBe('answering'));
    conversation.clear();
    await asked;
    expect(conversation.messages).toEqual([]);
    expect(client.forget).toHaveBeenCalledOnce();
    await conversation.ask({ question: 'Again', shown: 'Again' });
    expect(conversation.messages.length).toBe(2);
  });

  test('each status has its sentence, and only some can be tried again', async () => {
    for (const [status, text, final] of [
      [0, 'errorNetwork', false],
      [400, 'error400', false],
      [401, 'error401', true],
      [403, 'error403', false],
      [404, 'error404', true],
      [429, 'error429', false],
      [500, 'error500', false],
      [502, 'error500', false],
      [503, 'error503', false],
    ] as const) {
      expect(textOf(status)).toBe(text);
      const { conversation } = setup(refuse(new ChatError(status)));
      await conversation.ask({ question: 'x', shown: 'x' });
      expect(conversation.messages.at(-1)).toMatchObject({ message: TEXTS[text], final });
    }
  });
});
