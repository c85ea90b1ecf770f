/** What is expected of answers: rows of a form, and as the service has them. */
import type { CheckExpectation } from '../../api/checks';

export const kinds = [
  'contains',
  'notContains',
  'equals',
  'matches',
  'json',
  'language',
  'maxMs',
  'calls',
  'callsNot',
  'refuses',
] as const;
export type ExpectationKind = (typeof kinds)[number];

export interface ExpectationRow {
  /** Tells the rows apart. */
  key: number;
  kind: ExpectationKind;
  /** As it is typed. */
  value: string;
}

/** Most expectations of one question. */
export const ROWS_MAX = 20;

export const isKind = (kind: string): kind is ExpectationKind => kinds.some((one) => one === kind);

/** A value as it is typed and shown. */
export function typed(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

export const readRows = (expect: readonly CheckExpectation[]): ExpectationRow[] =>
  expect.flatMap(({ kind, value }, key) => (isKind(kind) ? [{ key, kind, value: typed(value) }] : []));

export const nextRow = (rows: readonly ExpectationRow[]): ExpectationRow => ({
  key: Math.max(-1, ...rows.map((row) => row.key)) + 1,
  kind: 'contains',
  value: '',
});

/** What a value begins as when the kind becomes another one: words stay words. */
export function valueFor(kind: ExpectationKind, before: ExpectationRow): string {
  if (kind === 'refuses') return 'false';
  const wasText = !['refuses', 'json', 'maxMs'].includes(before.kind);
  return wasText && kind !== 'json' && kind !== 'maxMs' ? before.value : '';
}

/** A schema that is no JSON; where, by the row's number. */
export class NoJson extends Error {
  override readonly name = 'NoJson';
  constructor(readonly row: number) {
    super();
  }
}

export const writeRows = (rows: readonly ExpectationRow[]): CheckExpectation[] =>
  rows.map(({ kind, value }, at) => ({ kind, value: written(kind, value, at) }));

function written(kind: ExpectationKind, value: string, at: number): unknown {
  if (kind === 'refuses') return value === 'true';
  // What is no number goes as it is: the service says what it takes.
  if (kind === 'maxMs') return /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  if (kind !== 'json') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new NoJson(at);
  }
}

/** Where a refusal of the service belongs in the form of one question, and what it says. */
export interface PlacedRefusal {
  /** The number of an expectation, the text of the question, or the form as a whole. */
  at: number | 'text' | 'form';
  message: string;
}

export function placeRefusal(message: string): PlacedRefusal {
  const row = /^Invalid questions: expect row (?<nth>\d+) of question \d+: (?<said>[^]+)$/.exec(message);
  if (row?.groups) {
    const { nth, said = '' } = row.groups;
    return { at: Number(nth) - 1, message: sentence(said) };
  }
  const text = /^Invalid questions\[\d+\]: (a question (?:must|has \d+ char)[^]*)$/.exec(message);
  return text ? { at: 'text', message: sentence(text[1] ?? '') } : { at: 'form', message };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
