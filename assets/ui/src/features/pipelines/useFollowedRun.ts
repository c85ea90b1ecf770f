import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { followPipelineRun, keepRun, rereadRuns, type PipelineRun } from '../../api/pipelines';
import { useStream } from '../../api/useStream';
import { runIn } from './run';

/** Keeps the list at what the run under way tells, and says how the run ended. */
export function useFollowedRun(flow: string, run: string | null, onEnd: (run: PipelineRun) => void): void {
  const client = useQueryClient();
  const last = useRef<PipelineRun | null>(null);
  useStream(run, {
    open: (signal) => {
      last.current = null;
      return followPipelineRun(flow, run ?? '', signal);
    },
    take: (event) => {
      const told = runIn(event, run ?? '');
      if (!told) return;
      last.current = told;
      // The last word is kept with the end: without the run under way its stream would be left before it.
      if (told.state === 'RUNNING') keepRun(client, flow, told);
    },
    isLast: ({ event }) => event === 'end',
    ended: (told) => {
      const ended = last.current;
      if (told && ended && ended.state !== 'RUNNING') {
        keepRun(client, flow, ended);
        onEnd(ended);
      }
      void rereadRuns(client, flow);
    },
  });
}
