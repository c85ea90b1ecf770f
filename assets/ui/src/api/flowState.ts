import type { FlowState } from './models';

/** What the chip of a flow says. */
export type Chip = 'never' | 'live' | 'changes' | 'stale' | 'straight';

export function chipOf(state: FlowState): Chip {
  if (state.mode === 'live') return 'straight';
  if (state.draft?.stale) return 'stale';
  if (!state.hasLive && !state.lastPublished) return 'never';
  return state.draft ? 'changes' : 'live';
}
