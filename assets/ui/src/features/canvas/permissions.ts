import type { FlowType } from '../../api/models';

/** Whether the person may change a flow of this kind. */
export function mayChange(can: (...anyOf: string[]) => boolean, type: FlowType): boolean {
  if (type === 'AGENTFLOW' || type === 'MULTIAGENT') return can('agentflows:update');
  return can(type === 'ASSISTANT' ? 'assistants:update' : 'chatflows:update');
}
