import { readFlow, type FlowProblem } from './flowdata';

/** A canvas as people edit it: one value a line. Text that is no JSON stays as it is. */
export function prettyFlow(stored: string): string {
  try {
    return JSON.stringify(stored.trim() === '' ? { nodes: [], edges: [] } : JSON.parse(stored), null, 2);
  } catch {
    return stored;
  }
}

export interface TextPlace {
  line: number;
  column: number;
  offset: number;
}

export interface TextFault {
  problem: FlowProblem;
  /** Where the text stops being JSON. */
  at?: TextPlace;
}

export type FlowText = { ok: true; flowData: string } | { ok: false; fault: TextFault };

/** Reads edited text: the compact canvas to store, or what is wrong and where. */
export function readFlowText(text: string): FlowText {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (cause) {
    const at = place(text, faultOffset(text, cause));
    return { ok: false, fault: { problem: 'not-json', at } };
  }
  const parsed = readFlow(read);
  return parsed.ok
    ? { ok: true, flowData: JSON.stringify(read) }
    : { ok: false, fault: { problem: parsed.problem } };
}

/** Where a text stops being JSON; null where it is, or says nothing. What stands in two braces is filled in by a run. */
export function jsonFault(text: string): TextPlace | null {
  if (text.trim() === '') return null;
  const filled = text.replace(/\{\{[^{}]*\}\}/g, (one) => '1'.repeat(one.length));
  try {
    JSON.parse(filled);
    return null;
  } catch (cause) {
    return place(text, faultOffset(filled, cause));
  }
}

/** Engines tell the place in their own words, and not always. */
function faultOffset(text: string, cause: unknown): number {
  const told = cause instanceof Error ? cause.message : '';
  const position = /position (\d+)/.exec(told)?.[1];
  if (position !== undefined) return Math.min(Number(position), text.length);
  const near = /line (\d+) column (\d+)/.exec(told);
  if (near) {
    const before = text.split('\n').slice(0, Number(near[1]) - 1);
    return Math.min(before.join('\n').length + Number(near[2]), text.length);
  }
  return scanFault(text);
}

/** The first place where a shorter text could not go on to be JSON: a small reader without values. */
function scanFault(text: string): number {
  const token =
    /\s*(?:([{}[\],:])|("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
  const open: string[] = [];
  let wants: 'value' | 'key' | 'colon' | 'next' | 'first' | 'firstKey' | 'end' = 'value';
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    const start = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (!found) return Math.min(start, text.length);
    const mark = found[1];
    const isValue = wants === 'value' || wants === 'first';
    const after = (): typeof wants => (open.length ? 'next' : 'end');
    if (isValue && (mark === '{' || mark === '[')) {
      open.push(mark);
      wants = mark === '{' ? 'firstKey' : 'first';
    } else if (isValue && !mark) wants = after();
    else if ((wants === 'key' || wants === 'firstKey') && found[2] !== undefined) wants = 'colon';
    else if (wants === 'colon' && mark === ':') wants = 'value';
    else if (wants === 'next' && mark === ',') wants = open.at(-1) === '{' ? 'key' : 'value';
    else if (
      (mark === '}' && open.at(-1) === '{' && (wants === 'next' || wants === 'firstKey')) ||
      (mark === ']' && open.at(-1) === '[' && (wants === 'next' || wants === 'first'))
    ) {
      open.pop();
      wants = after();
    } else return start;
    at = token.lastIndex;
  }
}

/** An offset as people count: lines and columns from 1. */
export function place(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, offset };
}
