import type { DraftStatus, Flow, FlowState } from '../../api/models';
import { hasCards } from '../../core/nodes';

/** The state of one flow in the words of the list of flows. */
export function stateOf(flow: Flow, status: DraftStatus): FlowState {
  return { ...status, hasLive: hasCards(flow.flowData) };
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
