import { useEffect, useRef, useState } from 'react';
import { readStream, type StreamEvent } from '../core/sse';
import { ApiError } from './client';

/** How long a stream that broke off is left alone: twice as long each time that nothing came of it. */
const AGAIN_MS = 3000;
const AGAIN_MS_MAX = 60_000;

/** Answers that stay the same, however often one asks. */
const refusals = new Set([400, 403, 404]);

/** How a stream ended: it told that all is over, it broke off, or there is none to be had. */
type End = 'told' | 'broke' | 'refused';

export interface StreamSource {
  /** Asks for the stream; asked again after it broke off. */
  open: (signal: AbortSignal) => Promise<Response>;
  take: (event: StreamEvent) => void;
  /** Whether nothing more is to be told after this. */
  isLast: (event: StreamEvent) => boolean;
  /** It is over; `told` when it said so itself. */
  ended: (told: boolean) => void;
}

/**
 * Reads the stream of what `key` names, while there is one, again and again until it said that all is over. True while it
 * broke off, or cannot be had: what it would tell is asked for instead.
 */
export function useStream(key: string | null, source: StreamSource): boolean {
  const [broken, setBroken] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const inVain = useRef(0);
  const latest = useRef(source);
  useEffect(() => {
    latest.current = source;
  });
  useEffect(() => {
    if (key === null) {
      setBroken(false);
      inVain.current = 0;
      return;
    }
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      setBroken(false);
      inVain.current = 0;
    };
    void read(() => latest.current, control.signal, heard).then((end) => {
      if (control.signal.aborted) return;
      latest.current.ended(end === 'told');
      if (end === 'told') return;
      setBroken(true);
      if (end === 'refused') return;
      const wait = Math.min(AGAIN_MS * 2 ** inVain.current, AGAIN_MS_MAX);
      inVain.current += 1;
      timer = setTimeout(() => setAttempt((before) => before + 1), wait);
    });
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [key, attempt]);
  return broken;
}

async function read(source: () => StreamSource, signal: AbortSignal, heard: () => void): Promise<End> {
  let end: End = 'broke';
  try {
    const response = await source().open(signal);
    if (!response.body) return end;
    for await (const event of readStream(response.body)) {
      if (signal.aborted) return end;
      if (source().isLast(event)) end = 'told';
      heard();
      source().take(event);
    }
  } catch (error) {
    // Whatever it was, what is stored says what is to be known.
    return error instanceof ApiError && refusals.has(error.status) ? 'refused' : 'broke';
  }
  return end;
}
