import { describe, expect, it } from 'vitest';
import { underWay, withRun, type PipelineRun } from '../../api/pipelines';
import { runAddress, runIn, tookOf, unnamed } from './run';

const run = (id: string, more: Partial<PipelineRun> = {}): PipelineRun => ({
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

describe('what is newly known of a run', () => {
  it('takes the place of what the list had', () => {
    const page = { data: [run('b', { state: 'RUNNING' }), run('a')], total: 30 };
    expect(withRun(page, run('b'))).toEqual({ data: [run('b'), run('a')], total: 30 });
  });

  it('stands first where the run has just begun, and the page keeps its length', () => {
    const page = { data: Array.from({ length: 20 }, (_, at) => run(String(at))), total: 20 };
    const next = withRun(page, run('new', { state: 'RUNNING' }));
    expect(next?.data.map(({ id }) => id)).toEqual(['new', ...page.data.slice(0, 19).map(({ id }) => id)]);
    expect(next?.total).toBe(21);
  });

  it('waits for a list that is not there yet', () => {
    expect(withRun(undefined, run('a'))).toBeUndefined();
  });

  it('is read from the events that tell of that run', () => {
    expect(runIn({ event: 'etl.progress', data: run('a') }, 'a')).toEqual(run('a'));
    expect(runIn({ event: 'etl.progress', data: run('a') }, 'b')).toBeNull();
    expect(runIn({ event: 'etl.progress', data: 'a' }, 'a')).toBeNull();
    expect(runIn({ event: 'end', data: run('a') }, 'a')).toBeNull();
  });
});

it('finds the run that goes on', () => {
  expect(underWay({ data: [run('b', { state: 'RUNNING' }), run('a')] })?.id).toBe('b');
  expect(underWay({ data: [run('a')] })).toBeNull();
});

it('says how long a run took, once it is over', () => {
  expect(tookOf(run('a'))).toBe(2500);
  expect(tookOf(run('a', { finished: null }))).toBeNull();
  expect(tookOf(run('a', { finished: '2026-11-28T08:00:00.000Z' }))).toBeNull();
});

it('counts the failures that are not named', () => {
  const errors = [{ document: '1', source: 'Text', message: 'No.' }];
  expect(unnamed(run('a', { failed: 1, errors }))).toBe(0);
  expect(unnamed(run('a', { failed: 8, errors }))).toBe(7);
});

it('names a run in the address, and the page behind it', () => {
  expect(runAddress('f', 'r')).toBe('/flows/f/runs?run=r');
  expect(runAddress('f', 'r', 3)).toBe('/flows/f/runs?page=3&run=r');
});
