import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client';
import { followExecution, rereadExecution } from '../../api/executions';
import { noRun, withRunEvent, type LiveRun } from '../../core/run';
import { readStream, type StreamEvent } from '../../core/sse';

/** How long a stream that broke off is left alone: twice as long each time that nothing came of it. */
const AGAIN_MS = 3000;
const AGAIN_MS_MAX = 60_000;

/** How a stream ended: it told how the run stands, it broke off, or there is none to be had. */
type End = 'told' | 'broke' | 'refused';

export interface Followed {
  /** What the stream told; null while it told nothing. */
  run: LiveRun | null;
  /** The stream broke off, or could not be had: the record is asked for instead. */
  broken: boolean;
}

/** Answers that stay the same, however often one asks. */
const refusals = new Set([400, 403, 404]);

/** Follows a run while it is under way. When it ended, or waits, its record is read again. */
export function useLiveRun(id: string, underWay: boolean): Followed {
  const client = useQueryClient();
  const [run, setRun] = useState<LiveRun | null>(null);
  const [broken, setBroken] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const inVain = useRef(0);
  useEffect(() => {
    if (!underWay) {
      setRun(null);
      setBroken(false);
      inVain.current = 0;
      return;
    }
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let now = noRun;
    const take = (event: StreamEvent): void => {
      const next = withRunEvent(now, event);
      setBroken(false);
      inVain.current = 0;
      if (next === now) return;
      now = next;
      setRun(next);
    };
    void follow(id, control.signal, take).then((end) => {
      if (control.signal.aborted) return;
      void rereadExecution(client, id, end === 'told');
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
  }, [id, underWay, attempt, client]);
  return { run, broken };
}

async function follow(id: string, signal: AbortSignal, take: (event: StreamEvent) => void): Promise<End> {
  let end: End = 'broke';
  try {
    const response = await followExecution(id, signal);
    if (!response.body) return end;
    for await (const event of readStream(response.body)) {
      if (event.event === 'agentFlowEvent' && event.data !== 'INPROGRESS') end = 'told';
      take(event);
    }
  } catch (error) {
    // Whatever it was, the record says what is to be known.
    return error instanceof ApiError && refusals.has(error.status) ? 'refused' : 'broke';
  }
  return end;
}
