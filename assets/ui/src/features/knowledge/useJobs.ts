import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useForgetStores, type FillProgress } from '../../api/stores';
import { toast } from '../../ui';
import { t } from './words';

/** What fills a store: the id of a document, or `vectors` for the store as a whole. */
export type JobKey = string;

export interface Job {
  key: JobKey;
  progress: FillProgress | null;
}

export interface Jobs {
  /** What runs at the moment; a store is filled by one thing at a time. */
  running: Job | null;
  /** Why the last try of each failed. */
  faults: ReadonlyMap<JobKey, string>;
  /** Runs one after the other, until one is stopped. */
  run: (jobs: readonly JobWork[]) => void;
  stop: () => void;
}

export interface JobWork {
  key: JobKey;
  /** Says in the end what came of it. */
  work: (signal: AbortSignal, tell: (progress: FillProgress) => void) => Promise<string>;
}

/** The jobs of a store. They live as long as its page: whoever leaves ends them, as the service does. */
export function useJobs(): Jobs {
  const [running, setRunning] = useState<Job | null>(null);
  const [faults, setFaults] = useState<ReadonlyMap<JobKey, string>>(new Map());
  const control = useRef<AbortController | null>(null);
  const forget = useForgetStores();
  const latest = useRef(forget);
  useEffect(() => {
    latest.current = forget;
  });
  useEffect(() => () => control.current?.abort(), []);

  const run = useCallback((jobs: readonly JobWork[]) => {
    if (control.current) return;
    const own = new AbortController();
    control.current = own;
    void (async () => {
      for (const { key, work } of jobs) {
        if (own.signal.aborted) break;
        setRunning({ key, progress: null });
        setFaults((now) => new Map([...now].filter(([one]) => one !== key)));
        try {
          toast(await work(own.signal, (progress) => setRunning({ key, progress })));
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          if (!own.signal.aborted) setFaults((now) => new Map(now).set(key, reason || t('errors.network')));
        }
        void latest.current();
      }
      if (own.signal.aborted) toast(t('knowledge.stopped'));
      control.current = null;
      setRunning(null);
    })();
  }, []);
  const stop = useCallback(() => control.current?.abort(), []);
  return useMemo(() => ({ running, faults, run, stop }), [running, faults, run, stop]);
}
