/**
 * The time as the service has it. A browser's clock may be wrong by minutes or by a day, and what is fresh would be of
 * the future, or today not there yet: so the page goes by the clock of the service, as the `Date` of its answers tells it.
 */

/** Answers tell whole seconds and are some time on their way: less than this is no difference. */
const BLUR_MS = 2000;
/** From here on people are told that the clocks differ. */
const TOLD_MS = 60_000;
/** An answer that took longer says too little about when it was given. */
const SLOW_MS = 10_000;

let ahead = 0;
let newest = 0;
const listeners = new Set<() => void>();

/** Milliseconds since 1970, by the clock of the service. */
export const serviceNow = (): number => Date.now() + ahead;

/** Takes the time that an answer tells; `sent` and `now` are when it was asked for and came, by the clock of the browser. */
export function hearClock(date: string | null, sent: number, now = Date.now()): void {
  const told = Date.parse(date ?? '');
  // What the browser kept from before tells an earlier time.
  if (Number.isNaN(told) || told < newest || now < sent || now - sent > SLOW_MS) return;
  newest = told;
  const difference = told + 500 - (sent + now) / 2;
  const before = clockDifference();
  ahead = Math.abs(difference) < BLUR_MS ? 0 : difference;
  if (before !== clockDifference()) for (const listener of listeners) listener();
}

/** How many minutes the clock of the service is ahead of the browser's, behind below zero; 0 where that is not worth a word. */
export const clockDifference = (): number => (Math.abs(ahead) < TOLD_MS ? 0 : Math.round(ahead / 60_000));

export function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Knows nothing of the service's clock again. */
export function forgetClock(): void {
  ahead = 0;
  newest = 0;
}
