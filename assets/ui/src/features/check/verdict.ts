/** What a check comes down to, before it is told in words. */
import type { Check, CheckCase } from '../../api/checks';

export type Outcome = 'change' | 'none' | 'failing' | 'expectation' | 'draftOnly' | 'nothing' | 'failed';

export function outcomeOf({ status, summary, liveEmpty }: Check): Outcome {
  if (status === 'failed') return 'failed';
  if (summary.ran === 0) return 'nothing';
  if (summary.reportsChange) return liveEmpty ? 'expectation' : 'change';
  // Live failed too, or alone: nothing is reported of the draft, and all is not well.
  if (summary.errors > 0) return 'failing';
  return liveEmpty ? 'draftOnly' : 'none';
}

/** What is looked at first: the rest is folded. */
export const isRemarkable = ({ verdict, why }: CheckCase): boolean =>
  verdict === 'changed' ||
  verdict === 'error' ||
  why.some(({ code }) => code === 'expectation' || code === 'error');

export type CaseFilter = 'all' | 'changed' | 'error';

export const passes = (one: CheckCase, filter: CaseFilter): boolean =>
  filter === 'all' || one.verdict === filter;

/** Tokens of all answers so far, those of questions under way too. */
export const tokensOf = (check: Check): number =>
  check.cases
    .flatMap(({ runs }) => [...runs.live, ...runs.draft])
    .reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);

/** In how many of a hundred checks that find nothing the answers would lie as far apart. */
export const inHundred = (pValue: number): number => Math.round(pValue * 1000) / 10;
