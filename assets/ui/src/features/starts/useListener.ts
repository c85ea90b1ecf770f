import { useCallback, useEffect, useRef, useState } from 'react';
import { openListener, registerListener, removeListener } from '../../api/webhooks';
import { isObject, type Json } from '../../core/nodes';
import { noRun, withRunEvent, type LiveRun } from '../../core/run';
import { readStream, type StreamEvent } from '../../core/sse';

/** Calls that are kept in view, the newest first. */
const CALLS_KEPT = 5;

/** A call that came, and the run that it started. */
export interface HeardCall {
  key: number;
  at: number;
  run: LiveRun;
  answer: string;
  over: boolean;
}

export interface Listening {
  state: 'off' | 'opening' | 'on';
  calls: readonly HeardCall[];
  /** Why it ended. */
  failure: string | null;
  start: () => void;
  stop: () => void;
}

/** Listens for calls of a webhook until it is told to stop, or the panel goes away. */
export function useListener(flow: string): Listening {
  const [state, setState] = useState<Listening['state']>('off');
  const [calls, setCalls] = useState<readonly HeardCall[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const control = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    control.current?.abort();
    control.current = null;
    setState('off');
  }, []);
  useEffect(() => () => control.current?.abort(), []);
  const start = useCallback(() => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setState('opening');
    setFailure(null);
    const take = (event: StreamEvent): void => {
      if (event.event === 'listenerReady') setState('on');
      else setCalls((now) => withCallEvent(now, event, Date.now()));
    };
    listen(flow, mine.signal, take)
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      .then((why) => {
        if (mine.signal.aborted) return;
        setFailure(why);
        setState('off');
      });
  }, [flow]);
  return { state, calls, failure, start, stop };
}

async function listen(flow: string, signal: AbortSignal, take: (event: StreamEvent) => void): Promise<void> {
  const listener = await registerListener(flow);
  try {
    if (signal.aborted) return;
    const { body } = await openListener(flow, listener, signal);
    if (body) for await (const event of readStream(body)) take(event);
  } finally {
    // Whoever is gone is forgotten after a while anyway.
    void removeListener(flow, listener).catch(() => undefined);
  }
}

/** Takes an event into the call that it belongs to: the newest, or a new one when that is over. */
export function withCallEvent(
  calls: readonly HeardCall[],
  event: StreamEvent,
  now: number,
): readonly HeardCall[] {
  const [first, ...rest] = calls;
  if (!first || first.over) {
    if (event.event === 'executionEnd' || event.event === 'end') return calls;
    const key = (first?.key ?? 0) + 1;
    const fresh: HeardCall = { key, at: now, run: noRun, answer: '', over: false };
    return [grown(fresh, event), ...calls].slice(0, CALLS_KEPT);
  }
  return [grown(first, event), ...rest];
}

function grown(call: HeardCall, event: StreamEvent): HeardCall {
  if (event.event === 'executionEnd') return { ...call, over: true };
  if (event.event === 'token' && typeof event.data === 'string')
    return { ...call, answer: call.answer + event.data };
  return { ...call, run: withRunEvent(call.run, event) };
}

/** What a call brought: body, headers and query, as the flow got them. */
export function broughtBy({ run }: HeardCall): Json | null {
  for (const { data } of run.entries)
    if (isObject(data.input) && isObject(data.input.webhook)) return data.input.webhook;
  return null;
}
