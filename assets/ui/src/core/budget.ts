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

/** A limit as its field shows it. */
export const textOfLimit = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

export const textOfBudget = (budget: Budget | null | undefined): BudgetText => ({
  questions: textOfLimit(budget?.questionsPerDay),
  tokens: textOfLimit(budget?.tokensPerDay),
});

function isWhole(text: string, least: number): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^\d{1,13}$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= MOST;
}

/** A whole number of one or more that the service takes, or nothing. */
export const isLimit = (text: string): boolean => isWhole(text, 1);

/** As `isLimit`, and none at all may be allowed. */
export const isLimitFromNone = (text: string): boolean => isWhole(text, 0);

/** What is stored; null where nothing is limited. */
export function budgetOf({ questions, tokens }: BudgetText): Budget | null {
  const [questionsPerDay, tokensPerDay] = [questions.trim(), tokens.trim()];
  if (!questionsPerDay && !tokensPerDay) return null;
  return {
    ...(tokensPerDay ? { tokensPerDay: Number(tokensPerDay) } : {}),
    ...(questionsPerDay ? { questionsPerDay: Number(questionsPerDay) } : {}),
  };
}
