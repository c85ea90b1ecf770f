import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { followExecution, rereadExecution } from '../../api/executions';
import { useStream } from '../../api/useStream';
import { noRun, withRunEvent, type LiveRun } from '../../core/run';

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
  const now = useRef(noRun);
  useEffect(() => {
    if (!underWay) setRun(null);
  }, [underWay]);
  const broken = useStream(underWay ? id : null, {
    open: (signal) => {
      now.current = noRun;
      return followExecution(id, signal);
    },
    take: (event) => {
      const next = withRunEvent(now.current, event);
      if (next === now.current) return;
      now.current = next;
      setRun(next);
    },
    isLast: ({ event, data }) => event === 'agentFlowEvent' && data !== 'INPROGRESS',
    ended: (told) => void rereadExecution(client, id, told),
  });
  return { run, broken };
}
