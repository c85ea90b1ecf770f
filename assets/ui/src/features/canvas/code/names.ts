/** What code finds beside the language, to be completed while it is typed. */
import { isObject, type Json } from '../../../core/nodes';
import { rowsOf } from '../document/doc';
import type { Offer } from '../document/references';
import { objectOf, typeOfText, type ValueType } from './examples';

export interface CodeName {
  label: string;
  detail: ValueType;
}

/** Keys of the state of the flow, with the type of what they begin with. */
export type StateTypes = ReadonlyMap<string, ValueType>;

const STATE = '$flow.state.';
/** A text that is one reference is what it names; a text with words around it stays a text. */
const REFERENCE = /^\{\{\s*([^{}]+?)\s*\}\}$/;

/** The inputs that the card hands in, then the flow and the variables. */
export function codeNames(values: Json, offers: readonly Offer[], state: StateTypes): CodeName[] {
  const own = inputsOf(values).map(([name, value]) => ({ label: `$${name}`, detail: typeOf(value, state) }));
  const known = offers
    .map((one) => one.text.slice(2, -2))
    .filter((name) => /^\$(?:flow|vars)\./.test(name))
    .map((label): CodeName => ({
      label,
      detail: label.startsWith(STATE) ? (state.get(label.slice(STATE.length)) ?? 'string') : 'string',
    }));
  const fixed: CodeName[] = [
    { label: '$input', detail: 'string' },
    { label: '$flow.input', detail: 'string' },
    ...(state.size > 0 ? [{ label: '$flow.state', detail: 'object' } as const] : []),
    ...[...state].map(([key, detail]) => ({ label: `${STATE}${key}`, detail })),
  ];
  const all = new Map([...own, ...fixed, ...known].map((one) => [one.label, one]));
  return [...all.values()];
}

/** What a card declares for its code: rows with a name each, or an object. */
function inputsOf(values: Json): [string, unknown][] {
  const rows = Object.values(values)
    .flatMap(rowsOf)
    .filter((row) => typeof row.variableName === 'string' && row.variableName !== '')
    .map((row): [string, unknown] => [row.variableName as string, row.variableValue]);
  return [...rows, ...Object.entries(objectOf(values.functionInputVariables))];
}

function typeOf(value: unknown, state: StateTypes): ValueType {
  if (typeof value === 'string') {
    const named = REFERENCE.exec(value)?.[1];
    return named?.startsWith(STATE)
      ? (state.get(named.slice(STATE.length)) ?? 'string')
      : named
        ? 'string'
        : typeOfText(value);
  }
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'object';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string';
}
