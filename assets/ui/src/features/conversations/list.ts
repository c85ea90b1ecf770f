import type { FlowSummary } from '../../api/models';

/** What it takes to take conversations along, any of these. */
export const EXPORT = ['chatflows:export', 'agentflows:export', 'workspace:export'];

/** What the lists of these screens are of. */
export interface ListProps {
  /** All flows of the workspace, by name. */
  flows: readonly FlowSummary[];
  /** The one that was chosen; null while all are meant. */
  flow: FlowSummary | null;
  /** Those that are meant. */
  meant: readonly FlowSummary[];
}
