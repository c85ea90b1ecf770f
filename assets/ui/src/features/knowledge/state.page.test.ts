import { expect, test } from 'vitest';
import { behindWords } from './state';

test('a store that is behind says what was changed since it was filled', () => {
  expect(behindWords({ filledDate: null })).toMatch(/since its embeddings, or the place of its vectors/);
  expect(behindWords({ filledDate: '2026-05-04T07:00:00.000Z' })).toMatch(
    /passages were changed since it was filled last, May 4, 2026/,
  );
});
