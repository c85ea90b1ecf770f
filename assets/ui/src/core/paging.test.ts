import { expect, test } from 'vitest';
import { edgeOfDay, pageOf } from './paging';

test('days and pages in the address are read with care', () => {
  const from = edgeOfDay('2026-11-21', false);
  const to = edgeOfDay('2026-11-21', true);
  expect(new Date(to).getTime() - new Date(from).getTime()).toBe(86_399_999);
  expect(edgeOfDay('21.11.2026', false)).toBe('');
  expect(edgeOfDay('2026-13-77', false)).toBe('');
  expect(['3', '0', '-1', 'x', ''].map(pageOf)).toEqual([3, 1, 1, 1, 1]);
});
