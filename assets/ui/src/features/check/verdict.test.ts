import { describe, expect, it } from 'vitest';
import { answer, caseOf, checkOf } from './fixtures';
import { inHundred, isRemarkable, outcomeOf, tokensOf } from './verdict';

const same = caseOf(answer('12'), answer('12'));
const changed = caseOf(answer('12'), answer('15'), { verdict: 'changed' });

describe('the outcome of a check', () => {
  it('is what the service reports, and no count of questions', () => {
    expect(outcomeOf(checkOf([same]))).toBe('none');
    expect(outcomeOf(checkOf([changed]))).toBe('change');
    expect(outcomeOf(checkOf([same], {}, { reportsChange: true }))).toBe('change');
  });

  it('is none where nothing ran or nothing could', () => {
    expect(outcomeOf(checkOf([same], { status: 'stopped' }, { ran: 0 }))).toBe('nothing');
    expect(outcomeOf(checkOf([], { status: 'failed', error: 'No.' }))).toBe('failed');
  });

  it('is no good one where Live failed', () => {
    const failed = caseOf(answer('', { text: null, error: 'No.' }), answer('12'), { verdict: 'error' });
    expect(outcomeOf(checkOf([same, failed]))).toBe('failing');
  });

  it('is one of expectations where nothing is Live', () => {
    const alone = caseOf(null, answer('12'), { verdict: null });
    expect(outcomeOf(checkOf([alone], { liveEmpty: true }))).toBe('draftOnly');
    expect(outcomeOf(checkOf([alone], { liveEmpty: true }, { reportsChange: true }))).toBe('expectation');
  });
});

it('opens what changed, failed or was expected otherwise', () => {
  const fails = caseOf(null, answer('12'), { verdict: null, why: [{ code: 'expectation', message: '' }] });
  expect([same, changed, fails].map(isRemarkable)).toEqual([false, true, true]);
});

it('counts the tokens of answers under way as well', () => {
  const half = caseOf(answer('12'), null, { verdict: null });
  expect(tokensOf(checkOf([same, half]))).toBe(30);
});

it('tells a p-value as checks of a hundred', () => {
  expect(inHundred(0.0371)).toBe(3.7);
});
