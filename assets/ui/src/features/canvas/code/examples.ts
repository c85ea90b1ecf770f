import { isObject, type Json } from '../../../core/nodes';
import type { CodeTrial } from '../../../api/code';
import { rowsOf } from '../document/doc';

/** Names that the service gives a meaning of its own. */
const OWN = new Set(['input', 'flow', 'vars', 'tools', 'db']);

const NAMES = /\$(?:(flow\.state|flow|vars)\.([A-Za-z_]\w*)|([A-Za-z_]\w*))/g;

/** What code reads, as it writes it: `$name`, `$vars.name`, `$flow.input`, `$flow.state.name`. */
export function namesIn(code: string): string[] {
  const names = new Set<string>();
  for (const [, root, inner, plain] of code.matchAll(NAMES)) {
    if (plain === 'input') names.add('$flow.input');
    else if (plain !== undefined && !OWN.has(plain)) names.add(`$${plain}`);
    else if (root !== undefined && !(root === 'flow' && inner === 'state')) names.add(`$${root}.${inner}`);
  }
  return [...names];
}

/** The inputs that a card hands to its code, with what stands in them where that is no reference. */
export function declaredInputs(values: Json): Map<string, string> {
  const found = new Map<string, string>();
  const put = (name: unknown, value: unknown): void => {
    if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name)) return;
    const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    found.set(`$${name}`, text.includes('{{') ? '' : text);
  };
  for (const one of Object.values(values))
    for (const row of rowsOf(one)) if ('variableName' in row) put(row.variableName, row.variableValue);
  for (const [name, value] of Object.entries(objectOf(values.functionInputVariables))) put(name, value);
  return found;
}

export function objectOf(value: unknown): Json {
  if (isObject(value)) return value;
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : null;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** What a value is, in words for people. */
export type ValueType = 'string' | 'number' | 'boolean' | 'list' | 'object';

export function typeOfText(text: string): ValueType {
  const value = valueOf(text);
  return Array.isArray(value) ? 'list' : isObject(value) ? 'object' : 'string';
}

/** A text that is a JSON list or object is what it says, as the service reads it. */
function valueOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What is sent to try code with these examples. */
export function trialOf(code: string, examples: Readonly<Record<string, string>>): Required<CodeTrial> {
  const inputs: Json = {};
  const variables: Json = {};
  const flow: Json = { input: '' };
  const state: Json = {};
  for (const [name, text] of Object.entries(examples)) {
    const [root, ...path] = name.slice(1).split('.');
    const last = path.at(-1);
    const place = root === 'vars' ? variables : root !== 'flow' ? inputs : path.length > 1 ? state : flow;
    place[last ?? root ?? name] = valueOf(text);
  }
  return {
    javascriptFunction: code,
    functionInputVariables: inputs,
    variables,
    flow: { ...flow, state },
  };
}

/** Where a line begins, counted from 1; null for one that is not there. */
export function placeOfLine(code: string, line: number): number | null {
  let at = 0;
  for (let now = 1; now < line; now += 1) {
    const end = code.indexOf('\n', at);
    if (end < 0) return null;
    at = end + 1;
  }
  return at;
}
