import { CircleAlert, Lightbulb, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { CardProblem } from '../../api/canvas';
import type { Key } from '../../i18n';
import type { Doc } from './document/doc';
import { lostWires, type LostWire } from './document/lost';
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

export interface LeveledProblem extends Pick<CardProblem, 'id' | 'label' | 'issues'> {
  level: ProblemLevel;
  /** Connections of the card that lead nowhere. */
  lost: readonly LostWire[];
}

/**
 * The service says what keeps the flow from answering. Of the rest, what is wrong with a card that no connection meets is a
 * hint: it lies there to be used, or it was left over. Connections that lead nowhere are the page's own to find: the
 * service runs what inputs name, and may not look at the lines at all.
 */
export function withLevels(problems: readonly CardProblem[], doc: Doc | null): LeveledProblem[] {
  const met = new Set(doc?.edges.flatMap(({ source, target }) => [source, target]));
  const lost = new Map<string, LostWire[]>();
  const wires = doc ? lostWires(doc) : [];
  const named = new Set(wires.map(({ edge }) => edge));
  for (const wire of wires) lost.set(wire.node, [...(lost.get(wire.node) ?? []), wire]);
  const told = problems.map(({ id, label, issues, lost: said = [], blocks }): LeveledProblem => {
    const here = lost.get(id) ?? [];
    lost.delete(id);
    // The service may name them too. Where the page does, beside what takes them away, once is enough.
    const twice = new Set(said.filter(({ edge }) => named.has(edge)).map(({ issue }) => issue));
    return {
      id,
      label,
      issues: issues.filter((issue) => !twice.has(issue)),
      level: blocks ? 'error' : id === '' || met.has(id) ? 'warning' : 'hint',
      lost: here,
    };
  });
  const rest = [...lost].map(([id, wires]): LeveledProblem => {
    return { id, label: wires[0]?.label ?? '', issues: [], level: 'warning', lost: wires };
  });
  return [...told, ...rest].filter(({ issues, lost: ends }) => issues.length + ends.length > 0);
}

/** How many things are wrong. */
export const countProblems = (problems: readonly LeveledProblem[]): number =>
  problems.reduce((sum, { issues, lost }) => sum + issues.length + lost.length, 0);

export const byNode = (problems: readonly LeveledProblem[]): ReadonlyMap<string, NodeProblems> =>
  new Map(
    problems.map(({ id, level, issues, lost }) => [
      id,
      { level, issues: [...issues, ...lost.map(({ text }) => text)] },
    ]),
  );

/** The gravest of them. */
export const gravest = (problems: readonly LeveledProblem[]): ProblemLevel =>
  (['error', 'warning'] as const).find((level) => problems.some((one) => one.level === level)) ?? 'hint';
