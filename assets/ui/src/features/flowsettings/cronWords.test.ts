import { afterEach, expect, it } from 'vitest';
import { setLocale } from '../../core/format';
import { setWords } from '../../i18n';
import { de } from '../../i18n/de';
import { cronWords } from './cronWords';
import './words';

afterEach(() => {
  setLocale(undefined);
  setWords('en', {});
});

it('says the usual times in words', () => {
  setLocale('en');
  expect(cronWords('0 9 * * MON')).toBe('Every Monday at 09:00');
  expect(cronWords('30 7 * * 1-3,7')).toBe('Every Monday, Tuesday, Wednesday, and Sunday at 07:30');
  expect(cronWords('5 0 * * *')).toBe('Every day at 00:05');
  expect(cronWords('15 * * * *')).toBe('Every hour, at minute 15');
  expect(cronWords('*/10 * * * *')).toBe('Every 10 minutes');
  expect(cronWords('0 6 1,15 * *')).toBe('Every month at 06:00, on day 1 and 15');
});

it('says them in German', () => {
  setLocale('de');
  setWords('de', de);
  expect(cronWords('0 9 * * MON,FRI')).toBe('Jeden Montag und Freitag um 09:00');
  expect(cronWords('*/5 * * * *')).toBe('Alle 5 Minuten');
});

it('leaves the unusual to its text', () => {
  for (const cron of [
    '0 9 1 * MON',
    '0 9 * JAN *',
    '*/7 * * * *',
    '0 9,17 * * *',
    '0 9 32 * *',
    '0 9 * * MON/2',
    '@daily',
    '',
  ])
    expect(cronWords(cron), cron).toBeNull();
});
