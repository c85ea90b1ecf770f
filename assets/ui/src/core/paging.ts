/** The part of a list that an address names. */

import { serviceNow } from './clock';

/**
 * The moment a day begins (or ends) here, for a day as date fields give it; empty when it is none. What is a moment
 * already stays one: what the service counts by days of UTC leads to lists with the edges of those.
 */
export function edgeOfDay(day: string, end: boolean): string {
  if (isMoment(day)) return day;
  if (!isDay(day)) return '';
  return new Date(`${day}T${end ? '23:59:59.999' : '00:00:00.000'}`).toISOString();
}

/** Whether a part of an address is a day that there is, as date fields give it. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Whether a part of an address is a moment of UTC, and not a day. */
export const isMoment = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** The day that a date field shows for a part of an address: of a moment the one that it is here. */
export function dayHere(text: string): string {
  if (!isMoment(text)) return text;
  const at = new Date(text);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The moment a day of UTC begins, as lists have it in their address. */
export const beginOfUtc = (day: string): string => `${day}T00:00:00.000Z`;

/** The part of an address that has a list show these days of UTC, both included. */
export const spanOfUtc = (from: string, to: string): string =>
  `since=${beginOfUtc(from)}&until=${to}T23:59:59.999Z`;

/** The page an address names: 1 for anything odd. */
export function pageOf(text: string): number {
  const page = Number(text);
  return Number.isInteger(page) && page > 0 ? page : 1;
}

/** The day of UTC that it was so many days ago, as the service counts them. */
export function utcDay(daysAgo = 0, now = serviceNow()): string {
  return new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10);
}
