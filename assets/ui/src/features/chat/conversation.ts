import type { UploadKind } from '../../api/chat';
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

export interface UsedTool {
  tool: string;
  toolInput: unknown;
  toolOutput: string;
  error: string | null;
}

export interface SourceText {
  text: string;
  metadata: [string, string][];
}

export type StepState = 'running' | 'finished' | 'stopped' | 'error';

export interface Step {
  nodeId: string;
  label: string;
  state: StepState;
  error: string | null;
  ms: number | null;
  tokens: number | null;
  input: string | null;
  output: string | null;
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
export interface Turn {
  id: number;
  question: string;
  files: readonly ChatFile[];
  source: Source;
  state: TurnState;
  answer: string;
  thinking: string;
  tools: readonly UsedTool[];
  sources: readonly SourceText[];
  steps: readonly Step[];
  tokens: { read: number; written: number } | null;
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
  | { do: 'ask'; id: number; question: string; files: readonly ChatFile[]; source: Source; now: number }
  // These name the question they are about: what comes late must not touch the next one.
  | { do: 'events'; id: number; events: readonly StreamEvent[] }
  | { do: 'ended'; id: number; now: number }
  | { do: 'failed'; id: number; failure: Failure; now: number }
  | { do: 'stopped'; id: number; now: number }
  /** Takes the last question away, to ask it again. */
  | { do: 'retract' }
  | { do: 'reset' };

export const empty: Conversation = { chatId: null, turns: [] };

export const isBusy = ({ turns }: Conversation): boolean => {
  const last = turns.at(-1);
  return last?.state === 'waiting' || last?.state === 'streaming';
};

export function reduce(now: Conversation, change: Change): Conversation {
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

function begun({ id, question, files, source, now }: Extract<Change, { do: 'ask' }>): Turn {
  return {
    id,
    question,
    files,
    source,
    state: 'waiting',
    answer: '',
    thinking: '',
    tools: [],
    sources: [],
    steps: [],
    tokens: null,
    startedAt: now,
    ms: null,
    followUps: [],
    failure: null,
  };
}

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
    steps: turn.steps.map((step) => (step.state === 'running' ? { ...step, state: 'stopped' } : step)),
  }));
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** A value as text for people. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);

function withEvent(now: Conversation, { event, data }: StreamEvent): Conversation {
  switch (event) {
    case 'token':
      return last(now, (turn) => ({ state: 'streaming', answer: turn.answer + words(data) }));
    case 'thinking':
      return last(now, (turn) => ({ state: 'streaming', thinking: turn.thinking + words(data) }));
    case 'usedTools':
    case 'calledTools':
      return last(now, (turn) => ({
        tools: event === 'usedTools' || !turn.tools.length ? tools(data) : turn.tools,
      }));
    case 'sourceDocuments':
      return last(now, () => ({ sources: sources(data) }));
    case 'usageMetadata':
      return last(now, (turn) => ({ tokens: tokens(data) ?? turn.tokens }));
    case 'nextAgentFlow':
      return last(now, (turn) => ({ state: 'streaming', steps: nextStep(turn.steps, data) }));
    case 'agentFlowExecutedData':
      return last(now, (turn) => ({ steps: doneSteps(turn.steps, data) }));
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
    tokens: tokens(data.usageMetadata) ?? turn.tokens,
    followUps: followUps(data.followUpPrompts),
  }));
  return { ...next, chatId: words(data.chatId) || next.chatId };
}

function tools(data: unknown): UsedTool[] {
  return list(data)
    .filter(isObject)
    .map((one) => ({
      tool: words(one.tool),
      toolInput: one.toolInput,
      toolOutput: shown(one.toolOutput),
      error: words(one.error) || null,
    }));
}

function sources(data: unknown): SourceText[] {
  return list(data)
    .filter(isObject)
    .map((one) => ({
      text: words(one.pageContent),
      metadata: Object.entries(isObject(one.metadata) ? one.metadata : {}).map(([name, value]) => [
        name,
        shown(value),
      ]),
    }));
}

function tokens(data: unknown): Turn['tokens'] {
  if (!isObject(data)) return null;
  const [read, written] = [count(data.input_tokens), count(data.output_tokens)];
  return read === null && written === null ? null : { read: read ?? 0, written: written ?? 0 };
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

const states: Record<string, StepState> = {
  INPROGRESS: 'running',
  FINISHED: 'finished',
  STOPPED: 'stopped',
  TERMINATED: 'stopped',
  ERROR: 'error',
};

function put(steps: readonly Step[], nodeId: string, change: Partial<Step>): Step[] {
  // A loop runs a step again: that is another line.
  const at = steps.findLastIndex((step) => step.nodeId === nodeId);
  const before = steps[at];
  if (before && !(change.state === 'running' && before.state !== 'running'))
    return steps.map((step, here) => (here === at ? { ...step, ...change } : step));
  const blank = {
    label: nodeId,
    state: 'running',
    error: null,
    ms: null,
    tokens: null,
    input: null,
  } as const;
  return [...steps, { nodeId, ...blank, output: null, ...change }];
}

function nextStep(steps: readonly Step[], data: unknown): readonly Step[] {
  if (!isObject(data) || !words(data.nodeId)) return steps;
  return put(steps, words(data.nodeId), {
    label: words(data.nodeLabel) || words(data.nodeId),
    state: states[words(data.status)] ?? 'running',
    error: words(data.error) || null,
  });
}

function doneSteps(steps: readonly Step[], data: unknown): readonly Step[] {
  const one = list(data).at(-1);
  if (!isObject(one) || !words(one.nodeId)) return steps;
  const inner = isObject(one.data) ? one.data : {};
  const output = isObject(inner.output) ? inner.output : {};
  const time = isObject(output.timeMetadata) ? count(output.timeMetadata.delta) : null;
  const usage = tokens(output.usageMetadata);
  return put(steps, words(one.nodeId), {
    label: words(one.nodeLabel) || words(one.nodeId),
    state: states[words(one.status)] ?? 'finished',
    ms: time,
    tokens: usage ? usage.read + usage.written : null,
    input: shown(inner.input) || null,
    output: words(output.content) || (Object.keys(output).length > 0 ? shown(output) : null),
    ...(words(inner.error) ? { error: words(inner.error) } : {}),
  });
}
