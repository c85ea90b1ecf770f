import type { PipelineRun } from '../../api/pipelines';
import { isObject } from '../../core/nodes';
import type { StreamEvent } from '../../core/sse';
import type { RunState } from '../../ui/run/RunStateBadge';

/** What is known of a run, in the words of the runs of other flows. */
export const stateOf: Record<PipelineRun['state'], RunState> = {
  RUNNING: 'INPROGRESS',
  FINISHED: 'FINISHED',
  FAILED: 'ERROR',
  STOPPED: 'TERMINATED',
};

/** How long a run took; null while it goes on. */
export function tookOf({ started, finished }: Pick<PipelineRun, 'started' | 'finished'>): number | null {
  const ms = finished ? Date.parse(finished) - Date.parse(started) : Number.NaN;
  return ms >= 0 ? ms : null;
}

/** How many documents failed beyond those that are named. */
export const unnamed = ({ failed, errors }: Pick<PipelineRun, 'failed' | 'errors'>): number =>
  Math.max(0, failed - errors.length);

/** The run as an event of its stream tells it; null for what is no such event. */
export function runIn({ event, data }: StreamEvent, id: string): PipelineRun | null {
  if (event !== 'etl.progress' || !isObject(data) || data.id !== id) return null;
  return data as unknown as PipelineRun;
}

/** The address of a run within the tab, with the page of the list that stays behind it. */
export function runAddress(flow: string, run: string, page = 1): string {
  const query = new URLSearchParams({ ...(page > 1 && { page: String(page) }), run });
  return `/flows/${flow}/runs?${query.toString()}`;
}
