import type { DraftStatus, Flow, FlowState } from '../../api/models';
import { parseFlow } from '../../core/flowdata';

/** Whether Live has cards: without any it answers nobody. */
export function hasLive(flowData: string): boolean {
  const read = parseFlow(flowData);
  return read.ok && read.flow.nodes.some((node) => node.data.name !== 'stickyNote');
}

/** The state of one flow in the words of the list of flows. */
export function stateOf(flow: Flow, status: DraftStatus): FlowState {
  return { ...status, hasLive: hasLive(flow.flowData) };
}

export type Explanation = 'never' | 'live' | 'changes' | 'stale' | 'off' | 'type' | 'publish-instantly';

/** Which sentence explains the chip. */
export function explanation(state: FlowState): Explanation {
  const { mode, reason, draft, lastPublished, hasLive: live } = state;
  if (mode === 'live') return reason ?? 'off';
  if (draft?.stale) return 'stale';
  if (!live && !lastPublished) return 'never';
  return draft ? 'changes' : 'live';
}
