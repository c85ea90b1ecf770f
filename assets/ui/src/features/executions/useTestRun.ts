import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { beginInTest } from '../../api/chat';
import { newestExecution, type Execution } from '../../api/executions';
import type { Decision } from '../../core/decision';
import type { RunStep } from '../../core/run';
import { toast } from '../../ui';
import { t } from './words';

/** How often and how long the record of a run that has begun is looked for. */
const LOOK_MS = 200;
const LOOKS = 25;

export interface TestRun {
  busy: boolean;
  /** Why the last one was not taken. */
  refused: { title: string; message: string } | null;
  again: (step: RunStep) => void;
  decide: (decision: Decision) => void;
}

/** Runs a record again from a step, and answers what it waits for. */
export function useTestRun(execution: Execution): TestRun {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<TestRun['refused']>(null);
  const { id, agentflowId, chatId } = execution;
  const here = useRef<AbortController>(null);
  useEffect(() => {
    const control = new AbortController();
    here.current = control;
    return () => control.abort();
  }, []);
  const attempt = async (title: string, work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setRefused(null);
    try {
      await work();
    } catch (error) {
      setRefused({ title, message: error instanceof Error ? error.message : String(error) });
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    refused,
    again: (step) =>
      void attempt(t('executions.againFailed'), async () => {
        const item = step.item ? { iterationIndex: step.item.index } : {};
        const begun = await beginInTest(agentflowId, { executionId: id, fromNode: step.nodeId, ...item });
        const left = here.current?.signal;
        const found = await recordOf(begun, left);
        // Who went elsewhere meanwhile is not called back.
        if (found === null || left?.aborted) return;
        go(`/executions/${found}`);
        toast(t('executions.again'));
      }),
    decide: (decision) =>
      void attempt(t('executions.answerFailed'), async () => {
        const { failed } = await beginInTest(agentflowId, { chatId, humanInput: decision });
        const reread = (): Promise<void> => client.invalidateQueries({ queryKey: ['executions'] });
        await reread();
        // It is followed while it goes on; at its end it is read once more, whatever became of that.
        void failed.then(reread);
      }),
  };
}

/** The record of a run that has begun; null when nobody waits for it any more. */
async function recordOf(
  { chatId, failed }: Awaited<ReturnType<typeof beginInTest>>,
  left: AbortSignal | undefined,
): Promise<string | null> {
  let sentence: string | null = null;
  let over = false;
  void failed.then((told) => {
    sentence = told;
    over = true;
  });
  for (let look = 0; look < LOOKS && chatId !== null; look += 1) {
    const found = await newestExecution(chatId);
    if (found) return found;
    if (over && sentence) break;
    await new Promise((done) => setTimeout(done, LOOK_MS));
    if (left?.aborted) return null;
  }
  throw new Error(sentence ?? t('executions.againUnseen'));
}
