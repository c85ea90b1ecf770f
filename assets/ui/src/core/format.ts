/** Dates, numbers and sizes as people read them, through Intl. */

import { serviceNow } from './clock';

let locale: string | undefined;

/** The language of what is formatted; the browser's when nothing is set. */
export function setLocale(tag: string | undefined): void {
  locale = tag;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "5 minutes ago"; under 45 seconds it is "now". */
export function relativeTime(date: string | number, now: number = serviceNow()): string {
  const seconds = Math.round((new Date(date).getTime() - now) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (Number.isNaN(seconds)) return '';
  if (Math.abs(seconds) < 45) return format.format(0, 'second');
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return format.format(Math.sign(seconds), 'minute');
}

/** Date and time to the second. */
export function exactTime(date: string | number): string {
  const when = new Date(date);
  if (Number.isNaN(when.getTime())) return '';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium' }).format(when);
}

/** "Nov 21, 2026, 7:22 PM", for lists. */
export function briefTime(date: string | number): string {
  const when = new Date(date);
  if (Number.isNaN(when.getTime())) return '';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(when);
}

/** Hours and minutes. */
export function clockTime(date: string | number): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(date));
}

/** "12 March 2026", for headings of days. */
export function day(date: string | number): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(date));
}

/** "Mar 12, 2026", for a day of UTC as the service names it: `2026-03-12`. */
export function dayOfUtc(date: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

/** "Monday, Tuesday, and Friday", within a sentence. */
export function sentenceList(names: readonly string[]): string {
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
}

/** "Monday"; 0 is Sunday. */
export function weekday(index: number): string {
  // The first of January 2023 was a Sunday.
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2023, 0, 1 + index),
  );
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** "1.2 s", "340 ms", "2 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${number(Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(seconds)} s`;
  const whole = Math.round(seconds);
  const rest = whole % 60;
  return `${number(Math.floor(whole / 60))} min${rest ? ` ${rest} s` : ''}`;
}

/** "6 hours", "1 day": how long it is from one to the next. */
export function interval(seconds: number): string {
  const [unit, size] = steps.find(([, one]) => seconds % one === 0) ?? (['second', 1] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

/** "1.4 MB". */
export function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = size;
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  const digits = value < 10 && at > 0 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${units[at]}`;
}

/** Which plural form a count takes. */
export function plural(count: number, tag = 'en'): Intl.LDMLPluralRule {
  return new Intl.PluralRules(tag).select(count);
}

/** "a, b, c", for names and the like. */
export function list(names: readonly string[]): string {
  return new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(names);
}

/** With so many digits behind the point. */
export function decimal(value: number, digits: number): string {
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Compares names as people sort them. */
export function compareNames(a: string, b: string): number {
  return a.localeCompare(b, locale, { numeric: true, sensitivity: 'base' });
}
