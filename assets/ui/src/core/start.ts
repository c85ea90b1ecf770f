import { parseFlow } from './flowdata';
import { isObject, type Json } from './nodes';

/** What the Start card of a canvas is set to; null where there is none. */
export function startInputs(canvas: string): Json | null {
  const read = parseFlow(canvas);
  const start = read.ok && read.flow.nodes.find(({ data }) => data.name === 'startAgentflow');
  return start && isObject(start.data.inputs) ? start.data.inputs : null;
}

/** What starts a flow whose Start card is set like this. */
export const startKind = (inputs: Json | null): string =>
  inputs && typeof inputs.startInputType === 'string' ? inputs.startInputType : '';

/** Whether the Start card of a canvas lets the clock start the flow. */
export const startsByClock = (canvas: string): boolean => startKind(startInputs(canvas)) === 'scheduleInput';
