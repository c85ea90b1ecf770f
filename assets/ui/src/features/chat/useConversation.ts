import { useCallback, useEffect, useReducer, useRef } from 'react';
import { askInTest, stopAnswer, storeInTest, type TestQuestion } from '../../api/chat';
import { ApiError } from '../../api/client';
import { isObject } from '../../core/nodes';
import { shown } from '../../core/run';
import { readStream, type StreamEvent } from '../../core/sse';
import {
  empty,
  isBusy,
  reduce,
  type Change,
  type Conversation,
  type Failure,
  type Question,
} from './conversation';
import { t } from './words';

export interface Talk {
  conversation: Conversation;
  busy: boolean;
  /** False when it was not taken: another question is under way. `inPlace`: instead of the last one. */
  ask: (asked: Question, inPlace?: boolean) => boolean;
  stop: () => void;
  reset: () => void;
}

/** How long the service has to end a stream by itself once it was told to. */
const STOP_MS = 1500;

let nextId = 1;

/**
 * Runs the conversation: one question at a time, its events gathered for each frame. Who may read runs is told which
 * record an answer has.
 */
export function useConversation(flow: string, mayReadRuns = false): Talk {
  const [conversation, change] = useReducer(reduce, empty);
  const running = useRef<{ control: AbortController; id: number } | null>(null);
  const latest = useRef(conversation);
  useEffect(() => {
    latest.current = conversation;
  });
  useEffect(() => () => running.current?.control.abort(), []);

  const ask = useCallback(
    (asked: Question, inPlace = false) => {
      if (running.current) return false;
      if (inPlace) change({ do: 'retract' });
      const control = new AbortController();
      const id = nextId++;
      running.current = { control, id };
      change({ do: 'ask', id, now: Date.now(), ...asked });
      const chatId = asked.again ? null : (asked.chatId ?? latest.current.chatId);
      void run({ flow, asked, id, chatId, signal: control.signal, change })
        .finally(() => {
          if (running.current?.id === id) running.current = null;
        })
        .then((chat) => {
          if (chat !== null && mayReadRuns) void findRecord(chat, id, change);
        });
      return true;
    },
    [flow, mayReadRuns],
  );

  const stop = useCallback(() => {
    const now = running.current;
    if (!now) return;
    const cut = (): void => {
      now.control.abort();
      if (running.current === now) running.current = null;
      change({ do: 'stopped', id: now.id, now: Date.now() });
    };
    const turn = latest.current.turns.at(-1);
    const chat = turn?.chatId ?? (turn?.again ? null : latest.current.chatId);
    if (chat === null) return cut();
    const timer = setTimeout(cut, STOP_MS);
    stopAnswer(flow, chat).catch(() => {
      clearTimeout(timer);
      cut();
    });
  }, [flow]);

  const reset = useCallback(() => {
    running.current?.control.abort();
    running.current = null;
    change({ do: 'reset' });
  }, []);

  return { conversation, busy: isBusy(conversation), ask, stop, reset };
}

interface Run {
  flow: string;
  asked: Question;
  id: number;
  chatId: string | null;
  signal: AbortSignal;
  change: (change: Change) => void;
}

/** Gives the conversation of a run of steps. */
async function run({ flow, asked, id, chatId, signal, change }: Run): Promise<string | null> {
  const { files, source } = asked;
  const gather = new Gather((events) => change({ do: 'events', id, events }));
  let aborted = false;
  let chat: string | null = null;
  let steps = false;
  let named = false;
  try {
    const uploads = files.map(({ type, name, mime, data }) => ({ type, name, mime, data }));
    const stored = uploads.filter(({ type }) => type === 'file:rag');
    const begun =
      stored.length > 0
        ? await storeInTest(flow, stored, { chatId, source }, signal)
        : chatId === null
          ? null
          : { chatId };
    const response = await askInTest(
      flow,
      {
        ...sentOf(asked),
        source,
        ...(begun && { chatId: begun.chatId }),
        ...(begun && 'sessionToken' in begun && { sessionToken: begun.sessionToken }),
        ...(uploads.length > 0 && { uploads }),
      },
      signal,
    );
    for await (const event of eventsOf(response)) {
      aborted ||= event.event === 'abort';
      steps ||= event.event === 'nextAgentFlow' || event.event === 'agentFlowExecutedData';
      chat = chatIn(event) ?? chat;
      named ||= event.event === 'metadata' && isObject(event.data) && 'executionId' in event.data;
      gather.add(event);
    }
    gather.flush();
    change({ do: aborted ? 'stopped' : 'ended', id, now: Date.now() });
  } catch (error) {
    gather.flush();
    const failure = signal.aborted ? null : failureOf(error);
    change(failure ? { do: 'failed', id, failure, now: Date.now() } : { do: 'stopped', id, now: Date.now() });
  }
  return steps && !named ? chat : null;
}

/** What stands in the place of a question, or the question. */
function sentOf({ question, form, decision, again }: Question): Partial<TestQuestion> {
  if (again) return again;
  if (decision) return { humanInput: decision };
  return form ? { form } : { question };
}

function chatIn({ event, data }: StreamEvent): string | null {
  if (event !== 'metadata' || !isObject(data)) return null;
  return typeof data.chatId === 'string' ? data.chatId : null;
}

/** A stream that broke off did not name the record of its run; the newest one of the conversation is it. */
async function findRecord(chat: string, id: number, change: (change: Change) => void): Promise<void> {
  const executionId = await import('../../api/executions')
    .then(({ newestExecution }) => newestExecution(chat))
    .catch(() => null);
  if (executionId) change({ do: 'record', id, executionId });
}

/** The events of a stream; a flow that cannot stream answers whole, which is told as one. */
async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void> {
  // Known from the start, so that a first answer can be stopped and gone on from.
  const chatId = response.headers.get('x-service-chat-id');
  if (chatId) yield { event: 'metadata', data: { chatId } };
  if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
    yield* readStream(response.body);
    return;
  }
  const whole = (await response.json()) as Record<string, unknown>;
  yield { event: 'token', data: whole.text || shown(whole.json) };
  for (const event of ['usedTools', 'sourceDocuments', 'agentFlowExecutedData'])
    if (whole[event] !== undefined) yield { event, data: whole[event] };
  yield { event: 'metadata', data: whole };
}

function failureOf(error: unknown): Failure {
  if (error instanceof ApiError)
    return { status: error.status || null, message: error.message, retryAfter: error.retryAfter };
  // The stream broke off.
  return { status: null, message: t('errors.network'), retryAfter: null };
}

/** Hands events on once for each frame: a burst of tokens draws once. */
class Gather {
  readonly #to: (events: StreamEvent[]) => void;
  #events: StreamEvent[] = [];

  constructor(to: (events: StreamEvent[]) => void) {
    this.#to = to;
  }

  add(event: StreamEvent): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    // A page in the background draws no frames; its events wait no longer than this.
    if (document.hidden) setTimeout(() => this.flush(), 250);
    else requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#to(events);
  }
}
