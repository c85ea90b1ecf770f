import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followExecution } from '../../api/executions';
import { noRun, withRunEvent, type LiveRun } from '../../core/run';
import { readStream, type StreamEvent } from '../../core/sse';

/** How long a stream that broke off is left alone. */
const AGAIN_MS = 3000;

export interface Followed {
  /** What the stream told; null while it told nothing. */
  run: LiveRun | null;
  /** The stream broke off, or could not be had: the record is asked for instead. */
  broken: boolean;
}

/** Follows a run while it is under way. When it ended, or waits, its record is read again. */
export function useLiveRun(id: string, underWay: boolean): Followed {
  const client = useQueryClient();
  const [run, setRun] = useState<LiveRun | null>(null);
  const [broken, setBroken] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!underWay) {
      setRun(null);
      setBroken(false);
      return;
    }
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let now = noRun;
    const take = (event: StreamEvent): void => {
      const next = withRunEvent(now, event);
      setBroken(false);
      if (next === now) return;
      now = next;
      setRun(next);
    };
    void follow(id, control.signal, take).then((ended) => {
      if (control.signal.aborted) return;
      void client.invalidateQueries({ queryKey: ['executions'] });
      if (ended) return;
      setBroken(true);
      timer = setTimeout(() => setAttempt((before) => before + 1), AGAIN_MS);
    });
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [id, underWay, attempt, client]);
  return { run, broken };
}

/** True when the stream told how the run stands at its end. */
async function follow(id: string, signal: AbortSignal, take: (event: StreamEvent) => void): Promise<boolean> {
  let ended = false;
  try {
    const response = await followExecution(id, signal);
    if (!response.body) return false;
    for await (const event of readStream(response.body)) {
      if (event.event === 'agentFlowEvent' && event.data !== 'INPROGRESS') ended = true;
      take(event);
    }
  } catch {
    // Whatever it was, the record says what is to be known.
    return false;
  }
  return ended;
}
