import type { PipelineRun } from '../../api/pipelines';

/** A run that is over, for tests: with what differs in it. */
export const sampleRun = (id: string, more: Partial<PipelineRun> = {}): PipelineRun => ({
  id,
  state: 'FINISHED',
  trigger: 'API',
  dryRun: false,
  started: '2026-11-28T09:00:00.000Z',
  finished: '2026-11-28T09:00:02.500Z',
  read: 1,
  written: 1,
  skipped: 0,
  failed: 0,
  bytesRead: 14,
  phase: 'finishing',
  errors: [],
  error: null,
  params: {},
  resumed: false,
  flowVersion: null,
  ...more,
});
