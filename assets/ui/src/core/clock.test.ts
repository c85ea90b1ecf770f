import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clockDifference, forgetClock, hearClock, serviceNow, subscribeClock } from './clock';
import { relativeTime, setLocale } from './format';
import { utcDay } from './paging';

const HERE = Date.parse('2026-11-29T23:50:00Z');
const at = (time: number): string => new Date(time).toUTCString();

beforeEach(() => {
  vi.useFakeTimers({ now: HERE });
  forgetClock();
  setLocale('en');
});
afterEach(() => {
  vi.useRealTimers();
  setLocale(undefined);
});

it('goes by the clock of the service: what is fresh is now, and today is its day', () => {
  const told = HERE + 20 * 60_000;
  expect([relativeTime(told), utcDay()]).toEqual(['in 20 minutes', '2026-11-29']);
  hearClock(at(told), HERE - 100);
  expect(clockDifference()).toBe(20);
  expect([relativeTime(told), utcDay()]).toEqual(['now', '2026-11-30']);
});

it('knows a service that is behind, and says nothing of less than a minute', () => {
  hearClock(at(HERE - 30_000), HERE);
  expect(clockDifference()).toBe(0);
  expect(serviceNow()).toBe(HERE - 29_500);
  forgetClock();
  hearClock(at(HERE - 86_400_000), HERE);
  expect(clockDifference()).toBe(-1440);
});

it('takes the way of an answer and whole seconds for no difference', () => {
  hearClock(at(HERE - 1000), HERE - 1500);
  expect(serviceNow()).toBe(HERE);
});

it('does not believe answers from before, slow ones, and those without a time', () => {
  hearClock(at(HERE), HERE);
  hearClock(at(HERE - 3_600_000), HERE);
  hearClock(at(HERE + 3_600_000), HERE - 11_000);
  hearClock(null, HERE);
  hearClock('yesterday', HERE);
  expect(serviceNow()).toBe(HERE);
});

it('tells of a difference once it is another', () => {
  const told = vi.fn();
  const stop = subscribeClock(told);
  hearClock(at(HERE + 300_000), HERE);
  hearClock(at(HERE + 301_000), HERE + 1000, HERE + 1000);
  stop();
  hearClock(at(HERE + 900_000), HERE);
  expect(told).toHaveBeenCalledTimes(1);
});
