import { CircleAlert, Lightbulb, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { CardProblem } from '../../api/canvas';
import type { Key } from '../../i18n';
import type { Doc } from './document/doc';
import type { NodeProblems, ProblemLevel } from './slots';

/** How each level is told: in colour, in shape and in words. */
export const levels: Record<
  ProblemLevel,
  { icon: LucideIcon; key: Key; tone: 'danger' | 'warning' | 'info' }
> = {
  error: { icon: CircleAlert, key: 'canvas.level.error', tone: 'danger' },
  warning: { icon: TriangleAlert, key: 'canvas.level.warning', tone: 'warning' },
  hint: { icon: Lightbulb, key: 'canvas.level.hint', tone: 'info' },
};

export type LeveledProblem = CardProblem & { level: ProblemLevel };

/**
 * The service says what keeps the flow from answering. Of the rest, what is wrong with a card that no connection meets is a
 * hint: it lies there to be used, or it was left over.
 */
export function withLevels(problems: readonly CardProblem[], doc: Doc | null): LeveledProblem[] {
  const met = new Set(doc?.edges.flatMap(({ source, target }) => [source, target]));
  return problems.map((one) => ({
    ...one,
    level: one.blocks ? 'error' : one.id === '' || met.has(one.id) ? 'warning' : 'hint',
  }));
}

export const byNode = (problems: readonly LeveledProblem[]): ReadonlyMap<string, NodeProblems> =>
  new Map(problems.map((one) => [one.id, one]));

/** The gravest of them. */
export const gravest = (problems: readonly LeveledProblem[]): ProblemLevel =>
  (['error', 'warning'] as const).find((level) => problems.some((one) => one.level === level)) ?? 'hint';
