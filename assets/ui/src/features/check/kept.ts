/** Changes of the list of kept questions. */
import type { KeptChange, KeptQuestion, KeptQuestionEdit } from '../../api/checks';
import { keptAs, type Origin } from './plan';

/** Most questions that are kept for a flow. */
export const KEPT_MAX = 50;

/** One that is kept already is not kept twice. */
export const keeping =
  (text: string, from: Origin): KeptChange =>
  (rows) =>
    keptAs(rows, text) ? [...rows] : [...rows, { text, from }];

export const adding =
  (row: KeptQuestionEdit): KeptChange =>
  (rows) => [...rows, row];

export const changing =
  (id: string, change: Pick<KeptQuestionEdit, 'text' | 'expect'>): KeptChange =>
  (rows) =>
    rows.map((row) => (row.id === id ? { ...row, ...change, ...author(row, change.text) } : row));

/** Who rewrites what a person asked has written it. */
const author = (row: KeptQuestion, text: string): Pick<KeptQuestionEdit, 'from'> =>
  text.trim() === row.text.trim() ? {} : { from: 'written' };

export const dropping =
  (id: string): KeptChange =>
  (rows) =>
    rows.filter((row) => row.id !== id);

export const moving =
  (id: string, by: -1 | 1): KeptChange =>
  (rows) => {
    const from = rows.findIndex((row) => row.id === id);
    const to = from + by;
    const [one, other] = [rows[from], rows[to]];
    if (!one || !other) return [...rows];
    return rows.map((row, at) => (at === from ? other : at === to ? one : row));
  };
