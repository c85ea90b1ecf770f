/** Which inputs of a card are shown: the rules that its definition declares. */
import type { Json } from '../../../core/nodes';
import { isObject } from '../../../core/nodes';

export interface Conditions {
  show?: Json | undefined;
  hide?: Json | undefined;
}

/** Whether an input is shown beside these values. `row` is the place of a row that the input stands in. */
export function isShown({ show, hide }: Conditions, inputs: Json, row: number | null = null): boolean {
  const holds = ([path, wanted]: [string, unknown]): boolean => matches(valueAt(inputs, path, row), wanted);
  if (show && !Object.entries(show).every(holds)) return false;
  return !(hide && Object.entries(hide).some(holds));
}

/** Reads `name`, `name.inner` and `rows[$index].name`. */
function valueAt(inputs: Json, path: string, row: number | null): unknown {
  const parts = path.replaceAll('$index', String(row ?? 0)).split(/[.[\]]+/);
  return parts.filter(Boolean).reduce<unknown>((value, part) => {
    const read: unknown = typeof value === 'string' && /^\s*[[{]/.test(value) ? parse(value) : value;
    if (Array.isArray(read)) return (read as unknown[])[Number(part)];
    return isObject(read) ? read[part] : undefined;
  }, inputs);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A list means one of; text is tried as a pattern too; a switch that was never touched is off. */
function matches(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.some((one) => matches(value, one));
  if (typeof wanted === 'boolean') return (value === true || value === 'true') === wanted;
  if (value === wanted) return true;
  if (typeof wanted === 'number') return value !== '' && Number(value) === wanted;
  if (typeof wanted !== 'string' || typeof value !== 'string') return false;
  try {
    return new RegExp(`^(?:${wanted})$`).test(value);
  } catch {
    return false;
  }
}
