/** What a check is to ask, as a person puts it together. */
import type { Check, CheckEstimate, CheckSetup, CheckStart, KeptQuestion } from '../../api/checks';

export type Origin = KeptQuestion['from'];

export interface PlannedQuestion {
  /** Tells the rows apart while their texts change. */
  key: number;
  text: string;
  picked: boolean;
  from: Origin;
  /** When a person asked it; empty where nobody did. */
  date: string;
}

export interface CheckPlan {
  questions: readonly PlannedQuestion[];
  useKept: boolean;
  control: boolean;
  repeat: number;
  includeRiskySteps: boolean;
  /** As it was typed; empty for as much as the server allows. */
  maxTokens: string;
  maxSeconds: string;
}

/** Most answers of the draft to one question. */
export const REPEAT_MAX = 5;

export function firstPlan(setup: CheckSetup): CheckPlan {
  return {
    questions: setup.questions.map(({ text, date, starter }, key) => ({
      key,
      text,
      picked: key < setup.limits.maxQuestions,
      from: starter ? 'starter' : 'person',
      date,
    })),
    useKept: true,
    control: true,
    repeat: 1,
    includeRiskySteps: false,
    maxTokens: '',
    maxSeconds: '',
  };
}

export function withQuestion(plan: CheckPlan, text: string): CheckPlan {
  const key = Math.max(-1, ...plan.questions.map((one) => one.key)) + 1;
  const added: PlannedQuestion = { key, text, picked: true, from: 'written', date: '' };
  return { ...plan, questions: [...plan.questions, added] };
}

/** A question that was changed is nobody's but the writer's. */
export const reworded = (question: PlannedQuestion, text: string): PlannedQuestion => ({
  ...question,
  text,
  ...(text.trim() === question.text.trim() ? {} : { from: 'written', date: '' }),
});

const picked = (plan: CheckPlan): string[] =>
  plan.questions.filter((one) => one.picked && one.text.trim() !== '').map((one) => one.text);

const same = (one: string, other: string): boolean => one.trim() === other.trim();

export const keptAs = (kept: readonly KeptQuestion[], text: string): KeptQuestion | undefined =>
  kept.find((one) => same(one.text, text));

/** Which questions are asked in the end, and how many have no place among them. */
export function askedBy(
  plan: CheckPlan,
  kept: readonly KeptQuestion[],
  most: number,
): { asked: string[]; left: number } {
  const wanted = [...(plan.useKept ? kept.map((one) => one.text) : []), ...picked(plan)];
  const distinct = [...new Set(wanted.map((text) => text.trim()))];
  return { asked: distinct.slice(0, most), left: Math.max(0, distinct.length - most) };
}

/** A cap as it was typed: what is no number goes along, so that the server says what is wrong with it. */
const cap = (typed: string): number | null => {
  const text = typed.trim();
  return text === '' ? null : Number.isFinite(Number(text)) ? Number(text) : 0;
};

export function requestOf(plan: CheckPlan, kept: readonly KeptQuestion[]): CheckStart {
  const [maxTokens, maxSeconds] = [cap(plan.maxTokens), cap(plan.maxSeconds)];
  return {
    questions: picked(plan),
    includeRiskySteps: plan.includeRiskySteps,
    control: plan.control,
    repeat: plan.repeat,
    useKept: plan.useKept && kept.length > 0,
    ...(maxTokens === null ? {} : { maxTokens }),
    ...(maxSeconds === null ? {} : { maxSeconds }),
  };
}

/** The same check once more. What is expected of kept questions is what is expected of them by now. */
export function requestAgain(check: Check, kept: readonly KeptQuestion[]): CheckStart {
  const { control, repeat, includeRiskySteps, limits } = check;
  return {
    questions: check.cases.map(({ question }) => {
      const expect = keptAs(kept, question)?.expect ?? [];
      return expect.length > 0 ? { text: question, expect } : question;
    }),
    includeRiskySteps,
    control,
    repeat,
    maxTokens: limits.maxTokens,
    maxSeconds: limits.maxSeconds,
  };
}

/** Where a question is from, for who keeps it. */
export function originOf(setup: CheckSetup, text: string): Origin {
  const offered = setup.questions.find((one) => same(one.text, text));
  if (!offered) return 'written';
  return offered.starter ? 'starter' : 'person';
}

/** What so many questions take, by what ten take that are asked once. */
export function estimateFor(
  ten: CheckEstimate | null,
  { questions, repeat, control, liveEmpty }: EstimatedCheck,
): CheckEstimate | null {
  if (!ten || ten.answers === 0) return null;
  const live = liveEmpty ? 0 : repeat + (control ? 1 : 0);
  const answers = questions * (live + repeat);
  const turns = questions * Math.max(live, repeat);
  return {
    answers,
    tokens: Math.ceil((ten.tokens / ten.answers) * answers),
    // Both sides of a turn are asked at once.
    seconds: Math.ceil((ten.seconds / 10) * turns),
  };
}

export interface EstimatedCheck {
  questions: number;
  repeat: number;
  control: boolean;
  liveEmpty: boolean;
}
