import { expect, it } from 'vitest';
import { budgetOf, isLimit, textOfBudget } from './budget';

it('stores what is limited, and nothing where nothing is', () => {
  expect(budgetOf({ questions: ' 50 ', tokens: '' })).toEqual({ questionsPerDay: 50 });
  expect(budgetOf({ questions: '', tokens: '100000' })).toEqual({ tokensPerDay: 100_000 });
  expect(budgetOf({ questions: '', tokens: ' ' })).toBeNull();
});

it('takes whole numbers from one to a million millions', () => {
  expect(['', '1', '1000000000000'].map(isLimit)).toEqual([true, true, true]);
  expect(['0', '1000000000001', '1.5', '1,000', '-3', 'many'].map(isLimit)).toEqual(Array(6).fill(false));
});

it('shows what is stored', () => {
  expect(textOfBudget({ tokensPerDay: 5, questionsPerDay: null })).toEqual({ questions: '', tokens: '5' });
  expect(textOfBudget(null)).toEqual({ questions: '', tokens: '' });
});
