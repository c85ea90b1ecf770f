/** Usage as the service tells it, for states that a service of tests does not reach by itself: weeks of days, budgets that are used up. */
import type { Page } from 'playwright-core';
import type { UsageReport } from '../src/api/usage';

const DAY = 86_400_000;

export function usageOf(count: number, now = Date.now()): UsageReport {
  const day = (ago: number): string => new Date(now - ago * DAY).toISOString().slice(0, 10);
  const days = Array.from({ length: count }, (_, at) => {
    const questions = Math.round(60 + 50 * Math.sin(at / 4) + (at % 7) * 6);
    return {
      day: day(count - 1 - at),
      questions,
      failed: at % 5 === 0 ? Math.round(questions / 8) : 0,
      medianMs: at % 9 === 0 ? null : 900 + at * 40,
      promptTokens: questions * 830,
      completionTokens: questions * 212,
    };
  });
  const part = (share: number) => ({
    questions: Math.round(1800 * share),
    failed: Math.round(40 * share),
    medianMs: Math.round(1600 * share),
    promptTokens: Math.round(1_500_000 * share),
    completionTokens: Math.round(380_000 * share),
  });
  const opensAgainAt = new Date(Math.ceil(now / DAY) * DAY).toISOString();
  return {
    from: day(count - 1),
    to: day(0),
    medianMs: 1240,
    days,
    flows: [
      { id: 'f1', name: 'Support', deleted: false, ...part(0.7) },
      { id: 'f2', name: 'Orders and returns of the shop', deleted: false, ...part(0.2) },
      { id: 'f3', name: 'Trial of March', deleted: true, ...part(0.1) },
    ],
    keys: [
      { id: null, name: null, ...part(0.8) },
      { id: 'k1', name: 'Website', ...part(0.2) },
    ],
    models: [
      { name: 'gpt-5-mini', calls: 2100, promptTokens: 1_400_000, completionTokens: 350_000 },
      { name: 'text-embedding-3-small', calls: 900, promptTokens: 100_000, completionTokens: 0 },
    ],
    budgets: [
      {
        kind: 'flow',
        id: 'f1',
        name: 'Support',
        tokensPerDay: 100_000,
        questionsPerDay: null,
        usedTokens: 64_000,
        usedQuestions: 80,
        refusing: false,
        opensAgainAt: null,
      },
      {
        kind: 'key',
        id: 'k1',
        name: 'Website',
        tokensPerDay: null,
        questionsPerDay: 50,
        usedTokens: 9000,
        usedQuestions: 50,
        refusing: true,
        opensAgainAt,
      },
    ],
  };
}

/** Answers for the service whenever the page asks for usage. */
export async function tellUsage(page: Page, told = usageOf(30)): Promise<void> {
  await page.route('**/api/v1/usage?*', (route) => route.fulfill({ json: told }));
}
