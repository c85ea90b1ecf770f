import { chipOf } from '../../api/flowState';
import type { FlowSummary } from '../../api/models';
import type { UsageReport } from '../../api/usage';

/** What the page where one arrives says, worked out of what other screens list. */

/** The flows that somebody worked on last. */
export const recent = (flows: readonly FlowSummary[], count: number): FlowSummary[] =>
  [...flows].sort((a, b) => changed(b).localeCompare(changed(a))).slice(0, count);

/** When a flow or its draft was changed last. */
export function changed({ updatedDate, state }: FlowSummary): string {
  const draft = state.draft?.updatedDate ?? '';
  return draft > updatedDate ? draft : updatedDate;
}

export const inState = (flows: readonly FlowSummary[], chip: ReturnType<typeof chipOf>): number =>
  flows.filter(({ state }) => chipOf(state) === chip).length;

type Used = UsageReport['flows'][number];

export interface Share extends Used {
  /** Of the busiest one, from 0 to 1. */
  part: number;
}

/** The flows with most of something, the first of them first; what is deleted leads nowhere. */
export function most(flows: readonly Used[], of: 'questions' | 'failed', count: number): Share[] {
  const some = flows.filter((flow) => !flow.deleted && flow[of] > 0);
  const sorted = some.sort((a, b) => b[of] - a[of]).slice(0, count);
  const top = sorted[0]?.[of] ?? 1;
  return sorted.map((flow) => ({ ...flow, part: flow[of] / top }));
}
