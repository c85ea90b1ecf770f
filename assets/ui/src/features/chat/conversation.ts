import type { UploadKind } from '../../api/chat';
import { decisionOf, type Decision, type DecisionAsked } from '../../core/decision';
import { isObject } from '../../core/nodes';
import {
  noRun,
  sourcesOf,
  stepsOf,
  tokensOf,
  toolsOf,
  withRunEvent,
  type LiveRun,
  type RunStep,
  type SourceText,
  type Tokens,
  type UsedTool,
} from '../../core/run';
import type { StreamEvent } from '../../core/sse';

/** The conversation of the test chat as a pure state: what the stream says goes in, what is drawn comes out. */

export type Source = 'draft' | 'live';

export interface ChatFile {
  name: string;
  mime: string;
  size: number;
  /** A data URI, as the service takes it. */
  data: string;
  type: UploadKind;
}

/** A run that is run again from one of its steps. */
export interface Rerun {
  executionId: string;
  fromNode: string;
  iterationIndex?: number;
}

/** What is sent: a question, a filled form, a decision about a run that waits, or a run again. */
export interface Question {
  /** The words that stand for it in the conversation; they are what is asked, where nothing else is. */
  question: string;
  files: readonly ChatFile[];
  source: Source;
  form?: Record<string, unknown>;
  decision?: Decision;
  again?: Rerun;
  /** The conversation that it belongs to, where that is not the present one. */
  chatId?: string | null;
}

export interface Failure {
  /** The status of the answer, or of the event; null when the stream gave none. */
  status: number | null;
  message: string;
  /** Seconds to wait before another try. */
  retryAfter: number | null;
}

export type TurnState = 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';

/** A question with its answer. */
export interface Turn extends Question {
  id: number;
  state: TurnState;
  answer: string;
  thinking: string;
  tools: readonly UsedTool[];
  sources: readonly SourceText[];
  /** What was told of the specialists of a team, as it came. */
  team: readonly unknown[];
  /** What the steps of an agentflow do, or the cards of a chat canvas. */
  run: LiveRun;
  /** What the run waits for. */
  asked: DecisionAsked | null;
  /** The record of the run, once it is known. */
  executionId: string | null;
  tokens: Tokens | null;
  startedAt: number;
  ms: number | null;
  followUps: readonly string[];
  failure: Failure | null;
}

export interface Conversation {
  chatId: string | null;
  turns: readonly Turn[];
}

export type Change =
  | ({ do: 'ask'; id: number; now: number } & Question)
  // These name the question they are about: what comes late must not touch the next one.
  | { do: 'events'; id: number; events: readonly StreamEvent[] }
  | { do: 'ended'; id: number; now: number }
  | { do: 'failed'; id: number; failure: Failure; now: number }
  | { do: 'stopped'; id: number; now: number }
  /** The record of a run was found. */
  | { do: 'record'; id: number; executionId: string }
  /** Takes the last question away, to ask it again. */
  | { do: 'retract' }
  | { do: 'reset' };

export const empty: Conversation = { chatId: null, turns: [] };

export const isBusy = ({ turns }: Conversation): boolean => {
  const last = turns.at(-1);
  return last?.state === 'waiting' || last?.state === 'streaming';
};

/** Whether nothing of it goes on any more. */
export const isOver = ({ state }: Pick<Turn, 'state'>): boolean =>
  state !== 'waiting' && state !== 'streaming';

/** What asks the same again, in the conversation as it is then. */
export const asAsked = ({ question, files, source, form, decision, again }: Turn): Question => ({
  question,
  files,
  source,
  ...(form && { form }),
  ...(decision && { decision }),
  ...(again && { again }),
});

/** The steps of an answer. `decided`: what it asked was answered, and it goes on in a later one. */
export function stepsOfTurn({ run, state, asked }: StepsTold, decided: boolean): RunStep[] {
  const steps = stepsOf(run, isOver({ state }) && asked === null);
  return decided ? steps.map(answered) : steps;
}

/** What steps follow from: it changes less often than the text of an answer. */
export type StepsTold = Pick<Turn, 'run' | 'state' | 'asked'>;

const answered = (step: RunStep): RunStep => ({
  ...step,
  state: step.state === 'waiting' ? 'finished' : step.state,
  rounds: step.rounds.map((round) => ({ ...round, steps: round.steps.map(answered) })),
});

/** Whether what an answer asked was answered later. */
export const isDecided = ({ asked, id }: Turn, turns: readonly Turn[]): boolean =>
  asked !== null &&
  turns.some(
    (later) =>
      later.id > id &&
      later.state !== 'failed' &&
      later.decision &&
      later.decision.actionId === (asked.id || undefined),
  );

export function reduce(now: Conversation, change: Change): Conversation {
  if (change.do === 'record') return recorded(now, change.id, change.executionId);
  if ('id' in change && change.do !== 'ask' && change.id !== now.turns.at(-1)?.id) return now;
  switch (change.do) {
    case 'ask':
      return { ...now, turns: [...now.turns, begun(change)] };
    case 'events':
      return change.events.reduce(withEvent, now);
    case 'ended':
      return finish(now, change.now, (turn) => (turn.failure ? 'failed' : 'done'));
    case 'failed':
      return finish(now, change.now, () => 'failed', change.failure);
    case 'stopped':
      return finish(now, change.now, () => 'stopped');
    case 'retract':
      return { ...now, turns: now.turns.slice(0, -1) };
    case 'reset':
      return empty;
  }
}

function begun({ do: _do, now, ...asked }: Extract<Change, { do: 'ask' }>): Turn {
  return {
    ...asked,
    state: 'waiting',
    answer: '',
    thinking: '',
    tools: [],
    sources: [],
    team: [],
    run: noRun,
    asked: null,
    executionId: null,
    tokens: null,
    startedAt: now,
    ms: null,
    followUps: [],
    failure: null,
  };
}

const recorded = (now: Conversation, id: number, executionId: string): Conversation => ({
  ...now,
  turns: now.turns.map((turn) => (turn.id === id ? { ...turn, executionId } : turn)),
});

/** Changes the turn that is under way; what comes after its end is of no use. */
function last(now: Conversation, change: (turn: Turn) => Partial<Turn>): Conversation {
  const turn = now.turns.at(-1);
  if (!turn || !isBusy(now)) return now;
  return { ...now, turns: [...now.turns.slice(0, -1), { ...turn, ...change(turn) }] };
}

function finish(
  now: Conversation,
  time: number,
  state: (turn: Turn) => TurnState,
  failure: Failure | null = null,
): Conversation {
  return last(now, (turn) => ({
    state: state(turn),
    ms: time - turn.startedAt,
    failure: failure ?? turn.failure,
  }));
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function withEvent(now: Conversation, { event, data }: StreamEvent): Conversation {
  switch (event) {
    case 'token':
      return last(now, (turn) => ({ state: 'streaming', answer: turn.answer + words(data) }));
    case 'thinking':
      return last(now, (turn) => ({ state: 'streaming', thinking: turn.thinking + words(data) }));
    case 'usedTools':
    case 'calledTools':
      return last(now, (turn) => ({
        tools: event === 'usedTools' || !turn.tools.length ? toolsOf(data) : turn.tools,
      }));
    case 'sourceDocuments':
      return last(now, () => ({ sources: sourcesOf(data) }));
    case 'harness.specialist':
      return last(now, (turn) => ({ team: [...turn.team, data] }));
    case 'usageMetadata':
      return last(now, (turn) => ({ tokens: tokensOf(data) ?? turn.tokens }));
    case 'nextAgentFlow':
    case 'agentFlowExecutedData':
    case 'cardEvent':
    case 'agentReasoning':
      return last(now, (turn) => ({ state: 'streaming', run: withRunEvent(turn.run, { event, data }) }));
    case 'action':
      return last(now, () => ({ asked: decisionOf(data) }));
    case 'error':
      return last(now, () => ({ failure: failure(data) }));
    case 'metadata':
      return metadata(now, data);
    default:
      return now;
  }
}

function metadata(now: Conversation, data: unknown): Conversation {
  if (!isObject(data)) return now;
  const next = last(now, (turn) => ({
    tokens: tokensOf(data.usageMetadata) ?? turn.tokens,
    followUps: followUps(data.followUpPrompts),
    asked: decisionOf(data.action) ?? turn.asked,
    executionId: words(data.executionId) || turn.executionId,
    chatId: words(data.chatId) || (turn.chatId ?? null),
  }));
  return { ...next, chatId: words(data.chatId) || next.chatId };
}

/** JSON text of a list, or the list. */
function followUps(data: unknown): string[] {
  try {
    const read: unknown = typeof data === 'string' ? JSON.parse(data) : data;
    return list(read).map(words).filter(Boolean);
  } catch {
    return [];
  }
}

/** An error is a sentence, or an object that says more. */
export function failure(data: unknown): Failure {
  if (!isObject(data)) return { status: null, message: words(data), retryAfter: null };
  return { status: count(data.status), message: words(data.message), retryAfter: count(data.retryAfter) };
}
