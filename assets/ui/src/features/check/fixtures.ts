/** Checks and their parts for tests. */
import type { Check, CheckAnswer, CheckCase, CheckSetup } from '../../api/checks';

const limits = { maxQuestions: 10, maxQuestionChars: 2000, maxTokens: 100_000, maxSeconds: 180 };

export const answer = (text: string, part: Partial<CheckAnswer> = {}): CheckAnswer => ({
  text,
  error: null,
  tokens: 10,
  ms: 100,
  ...part,
});

export function caseOf(
  live: CheckAnswer | null,
  draft: CheckAnswer | null,
  part: Partial<CheckCase> = {},
): CheckCase {
  return {
    question: 'How much?',
    live,
    draft,
    same: live?.text === draft?.text,
    runs: { live: live ? [live] : [], draft: draft ? [draft] : [] },
    similarity: null,
    controlSimilarity: null,
    verdict: 'same',
    confirmed: null,
    why: [],
    steps: [],
    ...part,
  };
}

export function checkOf(
  cases: CheckCase[],
  part: Partial<Check> = {},
  summary: Partial<Check['summary']> = {},
): Check {
  const of = (verdict: CheckCase['verdict']): number => cases.filter((one) => one.verdict === verdict).length;
  return {
    id: 'c1',
    left: { from: 'live', name: 'Live' },
    right: { from: 'draft', name: 'The draft' },
    status: 'done',
    stopReason: null,
    error: null,
    startedDate: '2026-01-01T00:00:00Z',
    finishedDate: '2026-01-01T00:01:00Z',
    total: cases.length,
    completed: cases.length,
    draftChanged: false,
    includeRiskySteps: false,
    control: true,
    repeat: 1,
    limits,
    liveEmpty: false,
    cases,
    summary: {
      ran: cases.length,
      same: of('same'),
      changed: of('changed'),
      errors: of('error'),
      liveTokens: 20,
      draftTokens: 10,
      liveMedianMs: 100,
      draftMedianMs: 100,
      verdicts: { same: of('same'), noise: of('noise'), changed: of('changed'), error: of('error') },
      reportsChange: of('changed') > 0,
      pValue: null,
      test: null,
      testCanReport: false,
      note: null,
      ...summary,
    },
    ...part,
  };
}

export const setupOf = (check: Check | null, part: Partial<CheckSetup> = {}): CheckSetup => ({
  unavailable: null,
  questions: [],
  riskySteps: [],
  limits,
  controlSeconds: 600,
  liveEmpty: false,
  estimate: { plain: null, control: null },
  check,
  ...part,
});
