import { parseFlow } from './flowdata';

/** Whether the Start card of a canvas lets the clock start the flow. */
export function startsByClock(canvas: string): boolean {
  const read = parseFlow(canvas);
  const start = read.ok && read.flow.nodes.find(({ data }) => data.name === 'startAgentflow');
  const inputs: unknown = start ? start.data.inputs : null;
  return (
    typeof inputs === 'object' &&
    inputs !== null &&
    'startInputType' in inputs &&
    inputs.startInputType === 'scheduleInput'
  );
}
