/** Reading of values that came from outside: what has the wrong shape is as if it were not there. */

export type Json = Record<string, unknown>;

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The items of a list that can be read. */
export function list<T>(value: unknown, read: (item: unknown) => T | undefined): T[] {
  return Array.isArray(value) ? value.flatMap((item) => read(item) ?? []) : [];
}
