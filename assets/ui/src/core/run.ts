/** What ran for a question as people read it: from the record of an agentflow, or from the events of a stream. No React. */

import { isObject, type Json } from './nodes';
import type { StreamEvent } from './sse';

export type StepState = 'running' | 'finished' | 'waiting' | 'stopped' | 'error';

export interface Tokens {
  read: number;
  written: number;
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

/** What was sent to a model. */
export interface SentMessage {
  role: string;
  content: string;
}

/** The reasoning of a model, and how long it took where that was a second at least. */
export interface Thoughts {
  text: string;
  ms: number | null;
}

/** What a step did, as a record or a stream holds it, once it was read with care. */
export interface RunEntry {
  nodeId: string;
  label: string;
  data: Json;
  previous: readonly string[];
  status: string;
  cut: boolean;
}

export interface RunStep {
  /** Tells it from the others of its run, and stays the same while the run goes on. */
  key: string;
  nodeId: string;
  label: string;
  /** The name of its card; empty while it is under way. */
  card: string;
  state: StepState;
  error: string | null;
  /** When it began and ended, in milliseconds of the service's clock. */
  start: number | null;
  end: number | null;
  ms: number | null;
  tokens: Tokens | null;
  input: unknown;
  /** What it said. */
  text: string | null;
  /** What else it made, without what is told by other fields. */
  output: Json;
  messages: readonly SentMessage[];
  tools: readonly UsedTool[];
  sources: readonly SourceText[];
  thoughts: Thoughts | null;
  /** The values of the flow's state after it. */
  values: Json;
  attempts: number | null;
  cut: boolean;
  /** The nodes it was reached from. */
  previous: readonly string[];
  /** The item of an iteration that it ran for. */
  item: { index: number; value: unknown; parent: string } | null;
  /** Of an iteration: what ran for each item. */
  rounds: readonly Round[];
}

export interface Round {
  index: number;
  value: unknown;
  steps: readonly RunStep[];
}

/** A step that has begun and not ended yet. */
interface OpenStep {
  nodeId: string;
  label: string;
  /** How many entries there were when it began: what had ended by then came before it. */
  after: number;
}

/** A run as its stream tells it. */
export interface LiveRun {
  /** What steps did. Cards of a chat canvas are among them from their beginning, so that each keeps its place. */
  entries: readonly RunEntry[];
  open: readonly OpenStep[];
  /** Steps that ended and whose entries did not come yet. */
  ended: readonly RunEntry[];
}

export const noRun: LiveRun = { entries: [], open: [], ended: [] };

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A value as text for people. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);

/** Whether there is anything in a value that is worth showing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Reads what steps did; what is no entry is left out. */
export function entriesOf(data: unknown): RunEntry[] {
  return list(data).flatMap((one): RunEntry[] => {
    if (!isObject(one) || !words(one.nodeId)) return [];
    return [
      {
        nodeId: words(one.nodeId),
        label: words(one.nodeLabel) || words(one.nodeId),
        data: isObject(one.data) ? one.data : {},
        previous: list(one.previousNodeIds).map(words).filter(Boolean),
        status: words(one.status),
        cut: one.cut === true,
      },
    ];
  });
}

/** The status of what has begun and not ended. */
const UNDER_WAY = 'INPROGRESS';

/** Takes an event of a stream; what is about something else changes nothing. */
export function withRunEvent(run: LiveRun, { event, data }: StreamEvent): LiveRun {
  if (event === 'agentFlowExecutedData') return { ...run, entries: entriesOf(data), ended: [] };
  if (event === 'cardEvent') return entriesOf([data]).reduce(withCard, run);
  if (event === 'agentReasoning') return { ...run, entries: turnsOf(data) };
  if (event !== 'nextAgentFlow' || !isObject(data) || !words(data.nodeId)) return run;
  const nodeId = words(data.nodeId);
  const label = words(data.nodeLabel) || nodeId;
  const status = words(data.status);
  if (status === UNDER_WAY)
    return { ...run, open: [...run.open, { nodeId, label, after: run.entries.length }] };
  const at = run.open.findIndex((one) => one.nodeId === nodeId);
  const error = words(data.error);
  const entry: RunEntry = {
    nodeId,
    label,
    data: error ? { error } : {},
    previous: [],
    status,
    cut: false,
  };
  return { ...run, open: run.open.filter((_, here) => here !== at), ended: [...run.ended, entry] };
}

/** A card of a chat canvas begins, or ends with what it did: in the place where it began. */
function withCard(run: LiveRun, entry: RunEntry): LiveRun {
  const at = run.entries.findIndex(({ nodeId, status }) => nodeId === entry.nodeId && status === UNDER_WAY);
  const entries =
    entry.status === UNDER_WAY || at < 0
      ? [...run.entries, entry]
      : run.entries.map((one, here) => (here === at ? entry : one));
  return { ...run, entries };
}

/** The turns of the members of a Multi-Agent or Sequential Agent flow, as steps. One that speaks has said nothing yet. */
function turnsOf(data: unknown): RunEntry[] {
  const turns = list(data).filter(isObject);
  return turns.flatMap((turn, at) => {
    const { nodeId, agentName, nodeName: name, next, instructions, usedTools, sourceDocuments, state } = turn;
    const content = list(turn.messages).map(words).join('\n\n');
    const speaks = at === turns.length - 1 && isEmpty([content, next, instructions].filter(Boolean));
    const output = { content, next, instructions, usedTools, sourceDocuments };
    const status = speaks ? UNDER_WAY : 'FINISHED';
    return entriesOf([{ nodeId, nodeLabel: agentName, status, data: { name, output, state } }]);
  });
}

/** The names of what is under way, and how many steps are behind it. */
export function underWay({ entries, open }: LiveRun): { names: string[]; done: number } {
  const cards = entries.filter(({ status }) => status === UNDER_WAY);
  return { names: [...cards, ...open].map(({ label }) => label), done: entries.length - cards.length };
}

const states: Record<string, StepState> = {
  FINISHED: 'finished',
  STOPPED: 'waiting',
  TERMINATED: 'stopped',
  ERROR: 'error',
};

/** How long a run was under way, as far as its record tells; what waits or runs is not over. */
export function tookOf(row: {
  state: string;
  createdDate: string;
  stoppedDate: string | null;
}): number | null {
  if (row.state === 'INPROGRESS' || row.state === 'STOPPED' || !row.stoppedDate) return null;
  const ms = Date.parse(row.stoppedDate) - Date.parse(row.createdDate);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** The steps of a run in its order, those of iterations inside of them. `over`: nothing of it goes on any more. */
export function stepsOf(run: LiveRun, over: boolean): RunStep[] {
  const entries = [...run.entries, ...run.ended];
  const seen = new Map<string, number>();
  // A step keeps its name when its entry comes: the number of times that its node ran before.
  const key = (nodeId: string): string => {
    const times = (seen.get(nodeId) ?? 0) + 1;
    seen.set(nodeId, times);
    return `${nodeId} ${times}`;
  };
  const told = entries.map((entry, at) => stepOf(entry, key(entry.nodeId), at, entries, over));
  const steps = told.map((step, at) =>
    entries[at]?.status === UNDER_WAY ? { ...step, start: endBefore(told, at) } : step,
  );
  const open = run.open.map((one) => openStep(one, key(one.nodeId), steps, over));
  return nest([...steps, ...open], over);
}

/** When the last of the steps before `at` ended. */
const endBefore = (steps: readonly RunStep[], at: number): number | null =>
  steps
    .slice(0, at)
    .reduce<number | null>((last, { end }) => (end === null ? last : Math.max(last ?? end, end)), null);

function openStep(open: OpenStep, key: string, steps: readonly RunStep[], over: boolean): RunStep {
  const base = blank(key, open.nodeId, open.label, over ? 'stopped' : 'running');
  return { ...base, start: endBefore(steps, open.after) };
}

function blank(key: string, nodeId: string, label: string, state: StepState): RunStep {
  return {
    key,
    nodeId,
    label,
    card: '',
    state,
    error: null,
    start: null,
    end: null,
    ms: null,
    tokens: null,
    input: undefined,
    text: null,
    output: {},
    messages: [],
    tools: [],
    sources: [],
    thoughts: null,
    values: {},
    attempts: null,
    cut: false,
    previous: [],
    item: null,
    rounds: [],
  };
}

/** What an output holds that has a field of its own, or that says nothing to people. */
const told = [
  'content',
  'timeMetadata',
  'usageMetadata',
  'usedTools',
  'calledTools',
  'availableTools',
  'sourceDocuments',
  'reasonContent',
  'humanInputAction',
  'ephemeralMemory',
  'persistState',
];

function stepOf(entry: RunEntry, key: string, at: number, all: readonly RunEntry[], over: boolean): RunStep {
  const { data } = entry;
  const output = isObject(data.output) ? data.output : {};
  const time = isObject(output.timeMetadata) ? output.timeMetadata : {};
  const input = isObject(data.input) ? data.input : {};
  const { messages, ...rest } = input;
  const sent = messagesOf(messages);
  const used = toolsOf(output.usedTools);
  const index = count(data.iterationIndex);
  const context = isObject(data.iterationContext) ? data.iterationContext : {};
  return {
    ...blank(key, entry.nodeId, entry.label, stateOf(entry, at, all, over)),
    card: words(data.name),
    error: words(data.error) || null,
    start: count(time.start),
    end: count(time.end),
    ms: count(time.delta),
    tokens: tokensOf(output.usageMetadata),
    input: sent.length > 0 ? rest : data.input,
    text: words(output.content) || null,
    output: Object.fromEntries(
      Object.entries(output).filter(([name, value]) => !told.includes(name) && !isEmpty(value)),
    ),
    messages: sent,
    // What a model asked for is what was used, where nothing says how that came out.
    tools: used.length > 0 ? used : toolsOf(output.calledTools),
    sources: sourcesOf(output.sourceDocuments),
    thoughts: thoughtsOf(output.reasonContent),
    values: isObject(data.state) ? data.state : {},
    attempts: count(data.attempts),
    cut: entry.cut,
    previous: entry.previous,
    item:
      index !== null && words(data.parentNodeId)
        ? { index, value: context.value, parent: words(data.parentNodeId) }
        : null,
  };
}

/** A step that stopped for a person waits until a later entry of it says what came of that. */
function stateOf(entry: RunEntry, at: number, all: readonly RunEntry[], over: boolean): StepState {
  if (entry.status === UNDER_WAY) return over ? 'stopped' : 'running';
  const state = states[entry.status] ?? 'finished';
  if (state !== 'waiting') return state;
  const goesOn = all.some(
    (later, here) =>
      here > at && later.nodeId === entry.nodeId && later.data.iterationIndex === entry.data.iterationIndex,
  );
  return goesOn ? 'finished' : over ? 'stopped' : 'waiting';
}

function messagesOf(data: unknown): SentMessage[] {
  return list(data)
    .filter(isObject)
    .map((one) => ({ role: words(one.role) || words(one.type), content: contentOf(one.content) }))
    .filter((one) => one.content !== '');
}

/** A text, or parts of which some are texts. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return shown(content ?? '');
  return content.map((part: unknown) => (isObject(part) && words(part.text)) || shown(part)).join('\n');
}

export function tokensOf(data: unknown): Tokens | null {
  if (!isObject(data)) return null;
  const [read, written] = [count(data.input_tokens), count(data.output_tokens)];
  return read === null && written === null ? null : { read: read ?? 0, written: written ?? 0 };
}

function thoughtsOf(data: unknown): Thoughts | null {
  const told = isObject(data) ? data : {};
  const text = words(told.thinking);
  const seconds = count(told.thinkingDuration);
  return text === '' ? null : { text, ms: seconds === null ? null : seconds * 1000 };
}

export function toolsOf(data: unknown): UsedTool[] {
  return list(data)
    .filter(isObject)
    .map((one) => ({
      tool: words(one.tool),
      toolInput: one.toolInput,
      toolOutput: shown(one.toolOutput),
      error: words(one.error) || null,
    }));
}

export function sourcesOf(data: unknown): SourceText[] {
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

/** Puts what ran for items into their iteration, whose own entry comes behind theirs. */
function nest(steps: readonly RunStep[], over: boolean): RunStep[] {
  const out: RunStep[] = [];
  const waiting = new Map<string, RunStep[]>();
  const put = (step: RunStep): void => {
    if (!step.item) out.push(step);
    else add(waiting, step.item.parent, step);
  };
  for (const step of steps) {
    const inside = waiting.get(step.nodeId);
    waiting.delete(step.nodeId);
    put(inside ? { ...step, rounds: roundsOf(inside) } : step);
  }
  // An iteration that nothing is told of yet. What waits for it is put under its node.
  for (const [parent, inside] of waiting) {
    const state = inside.some((one) => one.state === 'waiting') ? 'waiting' : over ? 'stopped' : 'running';
    out.push({ ...blank(`around ${parent}`, parent, parent, state), rounds: roundsOf(inside) });
  }
  return out;
}

function add<Key>(lists: Map<Key, RunStep[]>, key: Key, step: RunStep): void {
  const list = lists.get(key);
  if (list) list.push(step);
  else lists.set(key, [step]);
}

function roundsOf(steps: readonly RunStep[]): Round[] {
  const rounds = new Map<number, RunStep[]>();
  for (const step of steps) add(rounds, step.item?.index ?? 0, step);
  return [...rounds]
    .sort(([a], [b]) => a - b)
    .map(([index, inside]) => ({ index, value: inside[0]?.item?.value, steps: inside }));
}

/** All steps, those inside of iterations before the iteration. */
export const flat = (steps: readonly RunStep[]): RunStep[] =>
  steps.flatMap((step) => [...step.rounds.flatMap((round) => flat(round.steps)), step]);

const weight: Record<StepState, number> = { finished: 0, stopped: 1, error: 2, waiting: 3, running: 4 };

/** How each node stands: as its newest step; inside of iterations, as what most needs to be seen. */
export function nodeStates(steps: readonly RunStep[]): Map<string, StepState> {
  const nodes = new Map<string, StepState>();
  for (const step of steps) {
    const inside = new Map<string, StepState>();
    for (const one of step.rounds.flatMap((round) => flat(round.steps))) {
      const before = inside.get(one.nodeId);
      if (before === undefined || weight[one.state] > weight[before]) inside.set(one.nodeId, one.state);
    }
    for (const [id, state] of inside) nodes.set(id, state);
    if (nodes.get(step.nodeId) !== 'running') nodes.set(step.nodeId, step.state);
  }
  return nodes;
}

/** Why nodes failed whose newest step did. */
export function nodeErrors(steps: readonly RunStep[]): Map<string, string> {
  const newest = new Map(flat(steps).map((step) => [step.nodeId, step.error]));
  return new Map([...newest].flatMap(([id, error]) => (error === null ? [] : [[id, error]])));
}

/** The newest step of a node, with the steps around it. */
export function newestOf(steps: readonly RunStep[], nodeId: string): RunStep | null {
  return flat(steps).findLast((step) => step.nodeId === nodeId) ?? null;
}

/** The tokens of all steps. Those of an iteration are told by the steps inside of it. */
export function tokensOfAll(steps: readonly RunStep[]): Tokens | null {
  const counted = flat(steps).flatMap(({ tokens, rounds }) =>
    tokens && rounds.length === 0 ? [tokens] : [],
  );
  if (counted.length === 0) return null;
  return counted.reduce((sum, one) => ({
    read: sum.read + one.read,
    written: sum.written + one.written,
  }));
}
