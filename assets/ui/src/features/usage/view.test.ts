import { expect, it } from 'vitest';
import type { BudgetUse, UsageReport } from '../../api/usage';
import { byNeed, isEmpty, queryOf, shareOf, spanOf, tables } from './view';

const at = (parts: Record<string, string>) => (name: string) => parts[name] ?? '';
const now = Date.parse('2026-03-01T00:30:00Z');
const day = (name: string, questions: number, tokens = 0) => ({
  day: name,
  questions,
  failed: 0,
  medianMs: questions > 0 ? 1200 : null,
  promptTokens: tokens,
  completionTokens: tokens,
});
const report = (days: UsageReport['days']): UsageReport => ({
  from: '2026-02-28',
  to: '2026-03-01',
  medianMs: 1200,
  days,
  flows: [
    {
      id: 'f',
      name: '=Shop',
      deleted: false,
      questions: 1,
      failed: 1,
      medianMs: 800,
      promptTokens: 2,
      completionTokens: 3,
    },
  ],
  keys: [
    { id: null, name: null, questions: 1, failed: 0, medianMs: null, promptTokens: 0, completionTokens: 0 },
  ],
  models: [],
  budgets: [],
});
const budget = (name: string, used: number, refusing = false): BudgetUse => ({
  kind: 'flow',
  id: name,
  name,
  tokensPerDay: 100,
  questionsPerDay: null,
  usedTokens: used,
  usedQuestions: 0,
  refusing,
  opensAgainAt: refusing ? '2026-03-02T00:00:00Z' : null,
});

it('means days of UTC, both ends included', () => {
  expect(spanOf(at({ span: '7' }), now)).toEqual({ days: 7, from: '2026-02-23', to: '2026-03-01' });
  expect(spanOf(at({}), now)).toEqual({ days: 30, from: '2026-01-31', to: '2026-03-01' });
  expect(spanOf(at({ span: '12' }), now).days).toBe(30);
});

it('means days of one’s own, and one day where only the end is said', () => {
  expect(spanOf(at({ span: 'own', since: '2026-01-01', until: '2026-01-31' }), now)).toEqual({
    days: 'own',
    from: '2026-01-01',
    to: '2026-01-31',
  });
  expect(spanOf(at({ span: 'own', since: 'yesterday' }), now)).toEqual({
    days: 'own',
    from: '2026-03-01',
    to: '2026-03-01',
  });
});

it('asks the service for what an address names', () => {
  const span = spanOf(at({ span: '7' }), now);
  expect(queryOf(span, at({ flow: 'f', model: 'm' }))).toEqual({
    from: '2026-02-23',
    to: '2026-03-01',
    flowId: 'f',
    model: 'm',
  });
});

it('knows when nothing happened', () => {
  const days = [day('2026-02-28', 2, 5), day('2026-03-01', 3)];
  expect([isEmpty(report(days)), isEmpty(report([day('2026-03-01', 0)]))]).toEqual([false, true]);
});

it('names first what refuses, then what is nearest to it', () => {
  const all = [budget('low', 1), budget('high', 90), budget('out', 100, true)];
  expect(byNeed(all).map(({ name }) => name)).toEqual(['out', 'high', 'low']);
  expect([shareOf(budget('over', 300)), shareOf(budget('half', 50))]).toEqual([1, 0.5]);
});

it('makes tables with a line for each row', () => {
  expect(tables.flows(report([]))[1]).toEqual(['f', '=Shop', 1, 1, 800, 2, 3]);
  expect(tables.days(report([day('2026-03-01', 4)]))).toEqual([
    ['day', 'questions', 'failed', 'medianMs', 'promptTokens', 'completionTokens'],
    ['2026-03-01', 4, 0, 1200, 0, 0],
  ]);
});
