import { useEffect, useLayoutEffect, useRef } from 'react';
import { untilItAnswers } from '../../../core/connection';
import { holdUnsaved } from '../../../core/unsaved';
import type { Failure } from './useEditing';

/** Drawing rests for this long before it is saved. */
const REST_MS = 800;
/** The longest that somebody who draws on and on goes unsaved. */
const PATIENCE_MS = 5000;
/** What is drawn is kept in this browser after this long, saved or not. */
const KEEP_MS = 300;
const RETRY_MS = 5000;
const RETRY_MS_MAX = 60_000;

export interface Autosave {
  on: boolean;
  /** Whether something was drawn that was not sent. */
  waits: boolean;
  /** Grows with everything that is drawn. */
  drawn: number;
  busy: boolean;
  failure: Failure | null;
  save: () => Promise<boolean>;
  /** Keeps what is drawn in this browser. */
  keep: () => void;
}

/** Saves what is drawn by itself, and again when that failed for a reason that passes. A conflict waits for a person. */
export function useAutosave({ on, waits, drawn, busy, failure, save, keep }: Autosave): void {
  const since = useRef<number | null>(null);
  const tries = useRef(0);
  const calls = useRef({ save, keep, waits: on && waits });
  useEffect(() => {
    calls.current = { save, keep, waits: on && waits };
  });

  useEffect(() => {
    if (!waits) {
      since.current = null;
      return;
    }
    const timer = setTimeout(() => calls.current.keep(), KEEP_MS);
    return () => clearTimeout(timer);
  }, [waits, drawn]);

  useEffect(() => {
    if (!on || !waits || busy || failure) return;
    tries.current = 0;
    since.current ??= Date.now();
    const left = Math.max(0, since.current + PATIENCE_MS - Date.now());
    const timer = setTimeout(
      () => {
        since.current = null;
        void calls.current.save();
      },
      Math.min(REST_MS, left),
    );
    return () => clearTimeout(timer);
  }, [on, waits, drawn, busy, failure]);

  useEffect(() => {
    if (!on || !waits || busy || !failure?.passing) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const againAfter = (wait: number): void => {
      if (!gone) timer = setTimeout(() => void calls.current.save(), Math.min(wait, RETRY_MS_MAX));
    };
    const tried = tries.current;
    tries.current += 1;
    const wait = RETRY_MS * 2 ** tried;
    // It goes once the service answers. One that answers, and takes no save all the same, is not asked without end.
    if (failure.away) void untilItAnswers().then(() => againAfter(tried === 0 ? 0 : wait));
    else againAfter(failure.retryAfter ? failure.retryAfter * 1000 : wait);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [on, waits, busy, failure]);

  // Who leaves the page while drawing rests has it saved all the same; this browser keeps it until that is done.
  useEffect(() => {
    const keepNow = (): void => calls.current.keep();
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
      calls.current.keep();
      if (calls.current.waits) void calls.current.save();
    };
  }, []);
}

export interface UnsavedEdits {
  flow: string;
  /** Leaving would lose them, or leave them to a save that is not sure to go through. */
  atStake: boolean;
  /** Saves edits that are saved by themselves; null for those that wait until a person says so. */
  save: (() => Promise<boolean>) | null;
}

/** Holds the page while it has edits: null while it has none. */
export function useHeld(edits: UnsavedEdits | null): void {
  const latest = useRef(edits);
  useLayoutEffect(() => {
    latest.current = edits;
  });
  const held = edits !== null;
  useLayoutEffect(() => {
    if (!held) return;
    return holdUnsaved({
      stays: (to) => {
        const { current } = latest;
        if (!current?.atStake) return true;
        const home = `/flows/${current.flow}`;
        const path = to.split(/[?#]/)[0] ?? '';
        return path === home || path.startsWith(`${home}/`);
      },
      send: () => latest.current?.save?.() ?? Promise.resolve(false),
    });
  }, [held]);
}
