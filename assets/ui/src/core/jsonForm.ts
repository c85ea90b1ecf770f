/** The form that the JSON of an input must have, as the service writes it: a JSON Schema of few words. No React. */

import { place, type TextPlace } from './flowtext';
import { isObject, type Json } from './nodes';

/** What people are told of a form. */
export type JsonForm =
  { key: 'object' | 'texts' | 'pairs' | 'textList' } | { key: 'rows'; fields: readonly string[] };

/** What has to stand where something else stands. */
export type Wanted = 'text' | 'plain' | 'object' | 'list';

export interface Misfit {
  at: TextPlace;
  wanted: Wanted;
}

type Path = readonly (string | number)[];

/** What a schema asks for, in the words that people are told; null for any JSON, and for what the page has no words for. */
export function formOf(schema: unknown): JsonForm | null {
  if (!isObject(schema)) return null;
  if (Array.isArray(schema.anyOf)) return { key: 'pairs' };
  if (schema.type === 'object') return { key: isObject(schema.additionalProperties) ? 'texts' : 'object' };
  const items = isObject(schema.items) ? schema.items : {};
  if (schema.type !== 'array') return null;
  if (items.type === 'string') return { key: 'textList' };
  return isObject(items.properties) ? { key: 'rows', fields: Object.keys(items.properties) } : null;
}

/**
 * The first place where a text is JSON of another form. A text that names something in double braces is judged once a run
 * filled that in, and so is one that is no JSON: neither has a place.
 */
export function misfitIn(schema: unknown, text: string): Misfit | null {
  if (!isObject(schema) || text.trim() === '' || text.includes('{{')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const found = judge(schema, value, []);
  return found && { at: place(text, offsetOf(text, found.path)), wanted: found.wanted };
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

function judge(schema: unknown, value: unknown, path: Path): { path: Path; wanted: Wanted } | null {
  if (!isObject(schema)) return null;
  if (Array.isArray(schema.anyOf)) {
    const fits = schema.anyOf.find((one) => isObject(one) && one.type === typeOf(value));
    return judge(fits ?? schema.anyOf[0], value, path);
  }
  if (schema.type === undefined) return null;
  const types = [schema.type].flat();
  if (!types.includes(typeOf(value))) return { path, wanted: wantedOf(types) };
  const parts: [string | number, unknown, unknown][] = Array.isArray(value)
    ? value.map((one, at) => [at, schema.items, one])
    : Object.entries(isObject(value) ? value : {}).map(([name, one]) => [name, fieldOf(schema, name), one]);
  for (const [name, wanted, part] of parts) {
    const found = judge(wanted, part, [...path, name]);
    if (found) return found;
  }
  return null;
}

const fieldOf = ({ properties, additionalProperties }: Json, name: string): unknown =>
  isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;

function wantedOf(types: readonly unknown[]): Wanted {
  if (types.length > 1) return 'plain';
  return types[0] === 'object' ? 'object' : types[0] === 'array' ? 'list' : 'text';
}

/** Where the value of a path begins in a text that is JSON. Of keys that stand twice the last one counts. */
function offsetOf(text: string, path: Path): number {
  const token = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/y;
  const here: (string | number)[] = [];
  const open: string[] = [];
  let [found, wantsKey] = [0, false];
  for (let next = token.exec(text); next; next = token.exec(text)) {
    const mark = next[1] ?? '';
    if (mark === '}' || mark === ']') {
      open.pop();
      here.pop();
      wantsKey = false;
    } else if (mark === ',') {
      wantsKey = open.at(-1) === '{';
      if (!wantsKey) here.push(Number(here.pop()) + 1);
    } else if (wantsKey) {
      here.splice(-1, 1, String(JSON.parse(mark)));
      wantsKey = false;
    } else if (mark !== ':') {
      if (here.length === path.length && path.every((one, at) => one === here[at]))
        found = token.lastIndex - mark.length;
      if (mark === '{' || mark === '[') {
        open.push(mark);
        here.push(mark === '[' ? 0 : '');
        wantsKey = mark === '{';
      }
    }
  }
  return found;
}
