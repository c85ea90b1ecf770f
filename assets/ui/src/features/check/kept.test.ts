import { expect, it } from 'vitest';
import type { KeptQuestion } from '../../api/checks';
import { changing, dropping, keeping, moving } from './kept';

const row = (id: string): KeptQuestion => ({
  id,
  text: `Question ${id}`,
  expect: [],
  from: 'person',
  keptDate: '2026-01-01T00:00:00Z',
});
const rows = [row('a'), row('b'), row('c')];
const ids = (list: readonly { id?: string | null }[]): unknown[] => list.map(({ id }) => id);

it('keeps a question once', () => {
  expect(keeping(' Question a', 'written')(rows)).toEqual(rows);
  expect(keeping('New', 'starter')(rows)).toEqual([...rows, { text: 'New', from: 'starter' }]);
});

it('makes who rewrites a question its writer', () => {
  expect(changing('b', { text: 'Else', expect: [] })(rows)[1]).toMatchObject({ from: 'written' });
  expect(changing('b', { text: 'Question b', expect: [] })(rows)[1]).toMatchObject({ from: 'person' });
});

it('moves a question by one place, and not past an end', () => {
  expect(ids(moving('b', -1)(rows))).toEqual(['b', 'a', 'c']);
  expect(ids(moving('b', 1)(rows))).toEqual(['a', 'c', 'b']);
  expect(ids(moving('a', -1)(rows))).toEqual(['a', 'b', 'c']);
});

it('lets go of a question alone', () => {
  expect(ids(dropping('b')(rows))).toEqual(['a', 'c']);
});
