import type { BudgetUse, UsageQuery, UsageReport } from '../../api/usage';
import { sumOf, type Amounts } from '../../core/amounts';
import { isDay, utcDay } from '../../core/paging';

/** What an address means, and what is worked out of the numbers. */

export const SPANS = [7, 30, 90, 400] as const;
export const OWN = 'own';
const USUAL = 30;
export const filterNames = ['flow', 'key', 'model'] as const;

export interface Span {
  /** How many days back, or days of one's own. */
  days: number | typeof OWN;
  from: string;
  to: string;
}

/** Which days an address means; the last thirty where it says nothing, or something odd. */
export function spanOf(read: (name: string) => string, now?: number): Span {
  const today = utcDay(0, now);
  const asked = read('span');
  if (asked === OWN) {
    const [since, until] = [read('since'), read('until')];
    const to = isDay(until) ? until : today;
    return { days: OWN, from: isDay(since) ? since : to, to };
  }
  const days = SPANS.find((one) => String(one) === asked) ?? USUAL;
  return { days, from: utcDay(days - 1, now), to: today };
}

/** What the service is asked for. */
export function queryOf(span: Span, read: (name: string) => string): UsageQuery {
  const { from, to } = span;
  const [flowId, keyId, model] = filterNames.map(read);
  return {
    from,
    to,
    ...(flowId ? { flowId } : {}),
    ...(keyId ? { keyId } : {}),
    ...(model ? { model } : {}),
  };
}

/** True when nothing at all happened, so that there is nothing to draw. */
export const isEmpty = ({ days, models }: UsageReport): boolean => {
  const { questions, failed, promptTokens, completionTokens } = sumOf(days);
  return questions + failed + promptTokens + completionTokens === 0 && models.length === 0;
};

/** Those that refuse first, then those that are nearest to it. */
export function byNeed(budgets: readonly BudgetUse[]): BudgetUse[] {
  return [...budgets].sort(
    (a, b) =>
      Number(b.refusing) - Number(a.refusing) || shareOf(b) - shareOf(a) || (a.name < b.name ? -1 : 1),
  );
}

/** How much of the budget is used, by what is used most of; 1 where nothing is left. */
export function shareOf({ tokensPerDay, questionsPerDay, usedTokens, usedQuestions }: BudgetUse): number {
  const share = (used: number, all: number | null): number => (all ? Math.min(1, used / all) : 0);
  return Math.max(share(usedTokens, tokensPerDay), share(usedQuestions, questionsPerDay));
}

export interface TimedAmounts extends Amounts {
  /** Milliseconds; null where nothing was answered, or that is not told. */
  medianMs: number | null;
}

const amounts = (one: TimedAmounts): (number | null)[] => {
  const { questions, failed, medianMs, promptTokens, completionTokens } = one;
  return [questions, failed, medianMs, promptTokens, completionTokens];
};
const heads = ['questions', 'failed', 'medianMs', 'promptTokens', 'completionTokens'];

/** The lists as tables for a spreadsheet. Their first lines are the names that the service has for the columns. */
export const tables = {
  days: ({ days }: UsageReport): unknown[][] => [
    ['day', ...heads],
    ...days.map((one) => [one.day, ...amounts(one)]),
  ],
  flows: ({ flows }: UsageReport): unknown[][] => [
    ['id', 'name', ...heads],
    ...flows.map((one) => [one.id, one.name, ...amounts(one)]),
  ],
  keys: ({ keys }: UsageReport): unknown[][] => [
    ['id', 'name', ...heads],
    ...keys.map((one) => [one.id, one.name, ...amounts(one)]),
  ],
  models: ({ models }: UsageReport): unknown[][] => [
    ['name', 'calls', 'promptTokens', 'completionTokens'],
    ...models.map((one) => [one.name, one.calls, one.promptTokens, one.completionTokens]),
  ],
};
