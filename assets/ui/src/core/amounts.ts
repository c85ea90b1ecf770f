/** What is counted of questions, and the sum of it. */
export interface Amounts {
  questions: number;
  failed: number;
  promptTokens: number;
  completionTokens: number;
}

/** All of them together. */
export function sumOf(all: readonly Amounts[]): Amounts {
  const sum = (name: keyof Amounts): number => all.reduce((count, one) => count + one[name], 0);
  return {
    questions: sum('questions'),
    failed: sum('failed'),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
  };
}

export const tokensOf = ({
  promptTokens,
  completionTokens,
}: Pick<Amounts, 'promptTokens' | 'completionTokens'>): number => promptTokens + completionTokens;
