/** Whether the service answers. A call that got no answer makes the page ask until there is one. */

import { basePath } from './base';

/** What every copy of the service answers, signed in or not. */
const PING = `${basePath}/api/v1/ping`;
const FIRST_WAIT_MS = 1000;
const WAIT_MS_MAX = 8000;
const PATIENCE_MS = 5000;

let away = false;
let watching: Promise<void> | undefined;
const listeners = new Set<() => void>();

export const isAway = (): boolean => away;

export function subscribeAway(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether the service answers now. */
export async function answers(): Promise<boolean> {
  try {
    return (await fetch(PING, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) })).ok;
  } catch {
    return false;
  }
}

/** Resolves once the service answers: at once when it does. Until then the page says that it is away. */
export function untilItAnswers(): Promise<void> {
  watching ??= watch().finally(() => {
    watching = undefined;
  });
  return watching;
}

async function watch(): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !(await answers()); wait = Math.min(wait * 2, WAIT_MS_MAX)) {
    tell(true);
    await pause(wait);
  }
  tell(false);
}

function tell(now: boolean): void {
  if (away === now) return;
  away = now;
  for (const listener of listeners) listener();
}

/** Waits, but no longer than until the network comes back or somebody looks at the page again. */
function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      removeEventListener('focus', end);
      done();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    addEventListener('focus', end);
  });
}
