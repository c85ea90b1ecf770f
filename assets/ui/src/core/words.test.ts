import { expect, test } from 'vitest';
import { includesWords } from './words';

test('every word must be somewhere, in any case and without accents', () => {
  const row = ['Café keys', null, 'OpenAI API'];
  expect(includesWords(row, '')).toBe(true);
  expect(includesWords(row, 'cafe open')).toBe(true);
  expect(includesWords(row, '  KEYS ')).toBe(true);
  expect(includesWords(row, 'cafe anthropic')).toBe(false);
});
