import { parseFlow, type FlowEdge, type FlowNode } from '../../core/flowdata';
import { isNote, isObject, nodeLabel } from '../../core/nodes';
import type { StepState } from '../../core/run';
import type { Turn } from './conversation';

/** What an answer of a chat canvas says of the cards that made it. */
export interface CardsTold {
  states: ReadonlyMap<string, StepState>;
  /** Why cards failed. */
  errors: ReadonlyMap<string, string>;
}

export type AnswerTold = Pick<Turn, 'state' | 'tools' | 'sources' | 'team' | 'failure'> & {
  /** Some of the answer, or of what leads to it, has come. */
  speaks: boolean;
};

/**
 * How the cards of a chat canvas stand. The service does not tell of cards one by one: it tells of tokens, tools,
 * sources and failures, and more than these say is not drawn. So a tool that was not called stays as it was.
 */
export function cardsTold(flowData: string, told: AnswerTold): CardsTold {
  const read = parseFlow(flowData);
  const canvas = new Canvas(read.ok ? read.flow : { nodes: [], edges: [] });
  const states = new Map<string, StepState>();
  const errors = new Map<string, string>();
  const mark = (nodes: readonly FlowNode[], state: StepState): void => {
    for (const { id } of nodes) states.set(id, state);
  };
  const { end } = canvas;
  if (!end) return { states, errors };
  const models = canvas.into(end, /^(chat models|llms)/i);
  const now = progress[told.state];
  // Of a team those alone worked that were chosen, and each is told of by its name.
  if (told.state === 'done')
    mark(
      canvas.needed(end).filter((node) => !isSpecialist(node)),
      'finished',
    );
  mark([end], now);
  if (told.speaks) mark(models, now === 'error' ? 'finished' : now);
  if (told.sources.length > 0)
    mark(canvas.before(end, /^(retrievers|vector stores|document stores)/i), 'finished');
  for (const { tool, error } of told.tools) {
    const card = canvas.toolOf(end, tool);
    if (!card) continue;
    if (states.get(card.id) !== 'error') mark([card], error ? 'error' : 'finished');
    if (error) errors.set(card.id, error);
  }
  for (const { name, status, error } of told.team.filter(isObject)) {
    const card = canvas.specialist(name);
    if (!card) continue;
    const state = working[String(status)] ?? 'finished';
    // Who was still at work when the question was stopped is told of no more.
    mark([card], state === 'running' && now !== 'running' ? 'stopped' : state);
    if (typeof error === 'string') errors.set(card.id, error);
  }
  if (told.failure) {
    const failed = canvas.named(told.failure.message) ?? end;
    // What the failed card keeps waiting did not fail, and did not come to its end.
    if (failed !== end) states.delete(end.id);
    mark([failed], 'error');
    errors.set(failed.id, told.failure.message);
  }
  return { states, errors };
}

const progress: Record<Turn['state'], StepState> = {
  waiting: 'running',
  streaming: 'running',
  done: 'finished',
  stopped: 'stopped',
  failed: 'error',
};

/** How a specialist stands; one that reported has another status. */
const working: Record<string, StepState> = {
  started: 'running',
  failed: 'error',
  timeout: 'error',
  cancelled: 'stopped',
};

const isSpecialist = ({ data }: FlowNode): boolean => data.name === 'harnessSpecialist';

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

class Canvas {
  readonly #nodes: readonly FlowNode[];
  readonly #edges: readonly FlowEdge[];
  /** The card that gives the answer. */
  readonly end: FlowNode | undefined;

  constructor({ nodes, edges }: { nodes: readonly FlowNode[]; edges: readonly FlowEdge[] }) {
    this.#nodes = nodes.filter((node) => !isNote(node));
    this.#edges = edges;
    const ends = this.#nodes.filter(({ id }) => !edges.some(({ source }) => source === id));
    const answering = ends.filter((node) => isOf(node, /chains|agents|engine|utilities/i));
    // With two of them the service has the last word, and it is not known here.
    this.end = answering.length === 1 ? answering[0] : answering.length === 0 ? only(ends) : undefined;
  }

  /** The cards whose wires lead straight into a card. */
  into(node: FlowNode, category: RegExp): FlowNode[] {
    const sources = new Set(
      this.#edges.filter(({ target }) => target === node.id).map(({ source }) => source),
    );
    return this.#nodes.filter((one) => sources.has(one.id) && isOf(one, category));
  }

  /** Those that a card is made of, without what only a tool may have come to. */
  needed(node: FlowNode): FlowNode[] {
    return this.#reach(node, (edge) => !isToolWire(edge));
  }

  before(node: FlowNode, category: RegExp): FlowNode[] {
    return this.#reach(node, () => true).filter((one) => isOf(one, category));
  }

  /** The card behind a tool: the one that bears its name, else the only one there is. */
  toolOf(node: FlowNode, tool: string): FlowNode | undefined {
    const wired = this.#edges.filter((edge) => edge.target === node.id && isToolWire(edge));
    const tools = this.#nodes.filter(({ id }) => wired.some(({ source }) => source === id));
    return tools.find((one) => namesOf(one).some((name) => plain(name) === plain(tool))) ?? only(tools);
  }

  specialist(name: unknown): FlowNode | undefined {
    return this.#nodes.find(
      (node) => isSpecialist(node) && isObject(node.data.inputs) && node.data.inputs.specialistName === name,
    );
  }

  /** The card that a failure names: messages begin with its label. */
  named(message: string): FlowNode | undefined {
    const named = this.#nodes.filter((node) => message.startsWith(`${nodeLabel(node)}:`));
    return only(named);
  }

  #reach(from: FlowNode, through: (edge: FlowEdge) => boolean): FlowNode[] {
    const found = new Set([from.id]);
    const open = [from.id];
    for (let id = open.pop(); id !== undefined; id = open.pop())
      for (const edge of this.#edges)
        if (edge.target === id && !found.has(edge.source) && through(edge)) {
          found.add(edge.source);
          open.push(edge.source);
        }
    return this.#nodes.filter(({ id }) => found.has(id));
  }
}

const only = (nodes: readonly FlowNode[]): FlowNode | undefined =>
  nodes.length === 1 ? nodes[0] : undefined;

const isOf = ({ data }: FlowNode, category: RegExp): boolean =>
  typeof data.category === 'string' && category.test(data.category);

const isToolWire = ({ targetHandle }: FlowEdge): boolean => /-input-tools?(-|$)/.test(targetHandle ?? '');

/** What the tool of a card may be called. */
function namesOf({ data }: FlowNode): string[] {
  const inputs = isObject(data.inputs) ? data.inputs : {};
  return [
    data.name,
    data.label,
    inputs.name,
    inputs.toolName,
    inputs.chatflowName,
    inputs.retrieverName,
  ].filter((name): name is string => typeof name === 'string' && name !== '');
}
