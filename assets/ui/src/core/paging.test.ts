import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dayHere, edgeOfDay, isMoment, pageOf, spanOfUtc } from './paging';

test('days and pages in the address are read with care', () => {
  const from = edgeOfDay('2026-11-21', false);
  const to = edgeOfDay('2026-11-21', true);
  expect(new Date(to).getTime() - new Date(from).getTime()).toBe(86_399_999);
  expect(edgeOfDay('21.11.2026', false)).toBe('');
  expect(edgeOfDay('2026-13-77', false)).toBe('');
  expect(['3', '0', '-1', 'x', ''].map(pageOf)).toEqual([3, 1, 1, 1, 1]);
});

describe.each([
  ['Pacific/Auckland', '2026-11-21', '2026-11-22'],
  ['America/Los_Angeles', '2026-11-20', '2026-11-21'],
  ['UTC', '2026-11-21', '2026-11-21'],
])('in %s', (zone, sinceHere, untilHere) => {
  beforeEach(() => void vi.stubEnv('TZ', zone));
  afterEach(() => void vi.unstubAllEnvs());

  test('a day of UTC leads to the moments at which it begins and ends, wherever one is', () => {
    const parts = new URLSearchParams(spanOfUtc('2026-11-21', '2026-11-21'));
    const [since, until] = [parts.get('since') ?? '', parts.get('until') ?? ''];
    expect(edgeOfDay(since, false)).toBe('2026-11-21T00:00:00.000Z');
    expect(edgeOfDay(until, true)).toBe('2026-11-21T23:59:59.999Z');
    expect([dayHere(since), dayHere(until)]).toEqual([sinceHere, untilHere]);
  });

  test('a day that a person chose begins here', () => {
    expect(edgeOfDay('2026-11-21', false)).toBe(new Date(2026, 10, 21).toISOString());
    expect(dayHere('2026-11-21')).toBe('2026-11-21');
  });
});

test('what only looks like a moment is none', () => {
  expect(
    ['2026-11-21T25:00:00Z', '2026-11-21T10:00:00', '2026-11-21', 'x2026-11-21T00:00:00Z'].map(isMoment),
  ).toEqual([false, false, false, false]);
  expect(edgeOfDay('2026-13-77T00:00:00Z', false)).toBe('');
});
