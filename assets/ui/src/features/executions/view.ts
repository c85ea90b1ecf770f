import type { Execution, ExecutionQuery } from '../../api/executions';
import { edgeOfDay, pageOf } from '../../core/paging';
import { isRunState } from '../../ui/run/RunStateBadge';

/** What the address of the list means, and what records say in short. */

export const LIMIT = 25;

/** The filters, by their names in the address. */
export const filterNames = ['state', 'flow', 'session', 'since', 'until'] as const;

/** Asks for what the address names; what is odd in it is left out. */
export function queryOf(read: (name: string) => string): ExecutionQuery {
  const [state, flow, session] = [read('state'), read('flow'), read('session').trim()];
  const [startDate, endDate] = [edgeOfDay(read('since'), false), edgeOfDay(read('until'), true)];
  return {
    page: pageOf(read('page')),
    limit: LIMIT,
    ...(isRunState(state) && { state }),
    ...(isId(flow) && { agentflowId: flow }),
    ...(session && { sessionId: session }),
    ...(startDate && { startDate }),
    ...(endDate && { endDate }),
  };
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Whether nothing of a run goes on any more. */
export const isOver = (state: string): boolean => state !== 'INPROGRESS' && state !== 'STOPPED';

/** The canvas that ran. Of a draft nothing is kept: it is shown as it is now, with the node of the step. */
export function canvasOf(
  { agentflowId, flowVersion }: Pick<Execution, 'agentflowId' | 'flowVersion'>,
  node: string,
): string {
  const flow = `/flows/${agentflowId}`;
  return flowVersion
    ? `${flow}/versions?v=${encodeURIComponent(flowVersion)}`
    : `${flow}?node=${encodeURIComponent(node)}`;
}
