import { describe, expect, it } from 'vitest';
import type { Check, CheckSetup, KeptQuestion } from '../../api/checks';
import {
  askedBy,
  estimateFor,
  firstPlan,
  originOf,
  requestAgain,
  requestOf,
  reworded,
  withQuestion,
} from './plan';

const limits = { maxQuestions: 10, maxQuestionChars: 2000, maxTokens: 1000, maxSeconds: 180 };
const offered = (count: number): CheckSetup['questions'] =>
  Array.from({ length: count }, (_, at) => ({ text: `Asked ${at}`, date: '2026-01-01T00:00:00Z' }));
const setup = (questions: CheckSetup['questions']): CheckSetup => ({
  unavailable: null,
  questions,
  riskySteps: [],
  limits,
  controlSeconds: 600,
  liveEmpty: false,
  estimate: { plain: null, control: null },
  check: null,
});
const kept = (text: string, expect: KeptQuestion['expect'] = []): KeptQuestion => ({
  id: text,
  text,
  expect,
  from: 'written',
  keptDate: '2026-01-01T00:00:00Z',
});

describe('the first plan', () => {
  it('picks as many of what is offered as a check asks', () => {
    const { questions } = firstPlan(setup(offered(12)));
    expect(questions.filter((one) => one.picked)).toHaveLength(10);
  });

  it('measures Live and runs nothing risky', () => {
    expect(firstPlan(setup([]))).toMatchObject({ control: true, includeRiskySteps: false, repeat: 1 });
  });
});

describe('what is asked', () => {
  it('is what is kept, then what is picked, each once', () => {
    const plan = firstPlan(setup(offered(2)));
    expect(askedBy(plan, [kept('Asked 1 '), kept('Other')], 10)).toEqual({
      asked: ['Asked 1', 'Other', 'Asked 0'],
      left: 0,
    });
  });

  it('leaves out what has no place', () => {
    const { asked, left } = askedBy(firstPlan(setup(offered(10))), [kept('Mine')], 10);
    expect([asked.length, left]).toEqual([10, 1]);
  });

  it('is without what is kept where nobody wants that', () => {
    const plan = { ...firstPlan(setup(offered(1))), useKept: false };
    expect(askedBy(plan, [kept('Mine')], 10).asked).toEqual(['Asked 0']);
  });
});

describe('the request', () => {
  it('leaves out empty rows and caps that nobody set', () => {
    const plan = withQuestion(firstPlan(setup(offered(1))), ' ');
    expect(requestOf(plan, [])).toEqual({
      questions: ['Asked 0'],
      includeRiskySteps: false,
      control: true,
      repeat: 1,
      useKept: false,
    });
  });

  it('sends a cap that is no number for the service to refuse', () => {
    const plan = { ...firstPlan(setup([])), maxTokens: 'few', maxSeconds: '30' };
    expect(requestOf(plan, [])).toMatchObject({ maxTokens: 0, maxSeconds: 30 });
  });

  it('asks the same once more with what is expected by now', () => {
    const expected = [{ kind: 'contains', value: 'a' }];
    const check = {
      control: false,
      repeat: 2,
      includeRiskySteps: true,
      limits,
      cases: [{ question: 'Asked' }, { question: 'Mine' }],
    } as unknown as Check;
    expect(requestAgain(check, [kept('Mine', expected)])).toEqual({
      questions: ['Asked', { text: 'Mine', expect: expected }],
      includeRiskySteps: true,
      control: false,
      repeat: 2,
      maxTokens: 1000,
      maxSeconds: 180,
    });
  });
});

describe('where a question is from', () => {
  it('is told by what the service offers', () => {
    const from = setup([...offered(1), { text: 'Hello?', date: '', starter: true }]);
    expect(['Asked 0 ', 'Hello?', 'Else'].map((text) => originOf(from, text))).toEqual([
      'person',
      'starter',
      'written',
    ]);
  });

  it('is its writer once it is reworded', () => {
    const [first] = firstPlan(setup(offered(1))).questions;
    expect(first && reworded(first, 'Asked otherwise').from).toBe('written');
    expect(first && reworded(first, 'Asked 0 ').from).toBe('person');
  });
});

describe('the estimate', () => {
  const ten = { answers: 20, tokens: 2000, seconds: 50 };
  it('is that of the service for ten questions', () => {
    const plain = { questions: 10, repeat: 1, control: false, liveEmpty: false };
    expect(estimateFor(ten, plain)).toEqual(ten);
  });

  it('grows with what is asked of each side', () => {
    const wanted = { questions: 4, repeat: 2, control: true, liveEmpty: false };
    expect(estimateFor(ten, wanted)).toEqual({ answers: 20, tokens: 2000, seconds: 60 });
  });

  it('has no answers of a Live that is empty', () => {
    const wanted = { questions: 10, repeat: 1, control: true, liveEmpty: true };
    const alone = { answers: 10, tokens: 1000, seconds: 50 };
    expect(estimateFor(alone, wanted)).toEqual(alone);
  });

  it('is unknown where nobody asked', () => {
    expect(estimateFor(null, { questions: 1, repeat: 1, control: true, liveEmpty: false })).toBeNull();
  });
});
