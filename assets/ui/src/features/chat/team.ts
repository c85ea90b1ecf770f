import { parseFlow, type FlowNode } from '../../core/flowdata';
import { isObject, nodeLabel } from '../../core/nodes';
import type { StepState } from '../../core/run';
import type { Turn } from './conversation';

/** What the answer of a team says of the cards that made it. */
export interface TeamTold {
  states: ReadonlyMap<string, StepState>;
  /** Why cards failed. */
  errors: ReadonlyMap<string, string>;
}

export type AnswerTold = Pick<Turn, 'state' | 'team' | 'failure'>;

/**
 * How the cards of a team stand. Its stream names specialists and no cards: who was not chosen stays as it was, and so
 * do the models, of which nothing is told.
 */
export function teamTold(flowData: string, told: AnswerTold): TeamTold {
  const read = parseFlow(flowData);
  const nodes = read.ok ? read.flow.nodes : [];
  const states = new Map<string, StepState>();
  const errors = new Map<string, string>();
  // A chatflow may end in a card that asks a team, whose specialists stand on a canvas of their own.
  const end = nodes.find(({ data }) => data.name === 'harnessTeam' || data.name === 'harness');
  if (!end) return { states, errors };
  const now = progress[told.state];
  states.set(end.id, now);
  for (const { name, status, error } of told.team.filter(isObject)) {
    const card = nodes.find((node) => isSpecialist(node, name));
    if (!card) continue;
    const state = working[String(status)] ?? 'finished';
    // Who was still at work when the question was stopped is told of no more.
    states.set(card.id, state === 'running' && now !== 'running' ? 'stopped' : state);
    if (typeof error === 'string') errors.set(card.id, error);
  }
  const { failure } = told;
  if (failure) {
    // Messages begin with the label of the card that failed.
    const named = nodes.filter((node) => failure.message.startsWith(`${nodeLabel(node)}:`));
    const failed = (named.length === 1 ? named[0] : undefined) ?? end;
    // What the failed card keeps waiting did not fail, and did not come to its end.
    if (failed !== end) states.delete(end.id);
    states.set(failed.id, 'error');
    errors.set(failed.id, failure.message);
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

const isSpecialist = ({ data }: FlowNode, name: unknown): boolean =>
  data.name === 'harnessSpecialist' && isObject(data.inputs) && data.inputs.specialistName === name;
