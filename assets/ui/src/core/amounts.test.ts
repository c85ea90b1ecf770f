import { expect, it } from 'vitest';
import { sumOf, tokensOf } from './amounts';

it('sums what was counted, tokens read and written together', () => {
  const one = { questions: 2, failed: 1, promptTokens: 10, completionTokens: 5 };
  expect(sumOf([one, { ...one, questions: 3 }])).toEqual({
    questions: 5,
    failed: 2,
    promptTokens: 20,
    completionTokens: 10,
  });
  expect(tokensOf(sumOf([one]))).toBe(15);
  expect(sumOf([]).questions).toBe(0);
});
