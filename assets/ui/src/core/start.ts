import { parseFlow } from './flowdata';
import { isObject, type Json } from './nodes';

/** What the Start card of a canvas is set to; null where there is none. */
export function startInputs(canvas: string, card = 'startAgentflow'): Json | null {
  const read = parseFlow(canvas);
  const start = read.ok && read.flow.nodes.find(({ data }) => data.name === card);
  return start && isObject(start.data.inputs) ? start.data.inputs : null;
}

/** What starts a flow whose Start card is set like this. */
export const startKind = (inputs: Json | null): string =>
  inputs && typeof inputs.startInputType === 'string' ? inputs.startInputType : '';

/** Whether the Start card of a canvas lets the clock start the flow. */
export const startsByClock = (canvas: string): boolean => startKind(startInputs(canvas)) === 'scheduleInput';

/** A text that a run of a pipeline can be started with, and what it is where the start does not say. */
export interface Param {
  name: string;
  value: string;
}

/** What the Start card of a pipeline declares; rows that name nothing are left out. */
export function declaredParams(canvas: string): Param[] {
  return rowsOf(startInputs(canvas, 'etlStart')?.params)
    .filter(isObject)
    .map(({ name, value }) => ({
      name: typeof name === 'string' ? name.trim() : '',
      value: typeof value === 'string' ? value : '',
    }))
    .filter(({ name }, at, all) => name !== '' && all.findIndex((one) => one.name === name) === at);
}

/** A table may stand on a canvas as the text of its JSON. */
function rowsOf(table: unknown): unknown[] {
  if (Array.isArray(table)) return table as unknown[];
  if (typeof table !== 'string') return [];
  try {
    const read: unknown = JSON.parse(table);
    return Array.isArray(read) ? (read as unknown[]) : [];
  } catch {
    return [];
  }
}

/** What of the typed values a start has to send: what is as it was declared says itself. */
export const changedParams = (
  declared: readonly Param[],
  typed: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    declared.flatMap(({ name, value }) => {
      const now = typed[name] ?? value;
      return now === value ? [] : [[name, now]];
    }),
  );
