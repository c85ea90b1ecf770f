/** What a flow, an API key or a workspace may use in a day, as fields hold it and as the service stores it. */

export interface Budget {
  tokensPerDay?: number | null;
  questionsPerDay?: number | null;
}

/** As it is typed; an empty text is no limit. */
export interface BudgetText {
  questions: string;
  tokens: string;
}

const MOST = 1_000_000_000_000;

const textOf = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

export const textOfBudget = (budget: Budget | null | undefined): BudgetText => ({
  questions: textOf(budget?.questionsPerDay),
  tokens: textOf(budget?.tokensPerDay),
});

/** A whole number, `least` or more, that the service takes, or nothing. */
export function isLimit(text: string, least = 1): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^\d{1,13}$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= MOST;
}

/** What is stored; null where nothing is limited. */
export function budgetOf({ questions, tokens }: BudgetText): Budget | null {
  const [questionsPerDay, tokensPerDay] = [questions.trim(), tokens.trim()];
  if (!questionsPerDay && !tokensPerDay) return null;
  return {
    ...(tokensPerDay ? { tokensPerDay: Number(tokensPerDay) } : {}),
    ...(questionsPerDay ? { questionsPerDay: Number(questionsPerDay) } : {}),
  };
}
