import { chipOf, type Chip } from '../../api/flowState';
import type { FlowSummary } from '../../api/models';

export { chipOf, type Chip };

export const chips: readonly Chip[] = ['never', 'live', 'changes', 'stale', 'straight'];

export const kinds = ['CHATFLOW', 'AGENTFLOW', 'HARNESS', 'ASSISTANT', 'ETL', 'MULTIAGENT'] as const;

export type Order = 'name' | 'state' | 'published' | 'edited';

/** What the address says about the list. */
export interface ListView {
  kind: string;
  state: string;
  tag: string;
  text: string;
}

/** The flows that pass the filters; `except` leaves the tabs out, for their counts. */
export function passing(flows: readonly FlowSummary[], view: ListView, except?: 'kind'): FlowSummary[] {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  return flows.filter((flow) => {
    if (except !== 'kind' && view.kind && flow.type !== view.kind) return false;
    if (view.state && (!flow.state || chipOf(flow.state) !== view.state)) return false;
    const category = (flow.category ?? '').toLowerCase();
    if (view.tag && !category.split(';').some((tag) => tag.trim() === view.tag.toLowerCase())) return false;
    const searched = `${flow.name.toLowerCase()} ${category}`;
    return words.every((word) => searched.includes(word));
  });
}

/** Sorts a copy; flows without a date come last. */
export function sorted(
  flows: readonly FlowSummary[],
  order: Order,
  down: boolean,
  byName: (a: string, b: string) => number,
): FlowSummary[] {
  const key = (flow: FlowSummary): string | number => {
    if (order === 'edited') return edited(flow);
    if (order === 'published') return flow.state?.lastPublished?.date ?? '';
    return flow.state ? chips.indexOf(chipOf(flow.state)) : chips.length;
  };
  return [...flows].sort((a, b) => {
    if (order === 'name') return byName(a.name, b.name) * (down ? -1 : 1);
    const [left, right] = [key(a), key(b)];
    if (left === right) return byName(a.name, b.name);
    if (left === '' || right === '') return left === '' ? 1 : -1;
    return (left < right ? -1 : 1) * (down ? -1 : 1);
  });
}

/** When a flow or its draft was last changed. */
export function edited(flow: FlowSummary): string {
  const draft = flow.state?.draft?.updatedDate ?? '';
  return draft > flow.updatedDate ? draft : flow.updatedDate;
}
