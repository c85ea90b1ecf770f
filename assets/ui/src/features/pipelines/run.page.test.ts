import { describe, expect, it } from 'vitest';
import { underWay, withRun } from '../../api/pipelines';
import { sampleRun } from './sampleRun';
import { runAddress, runIn, tookOf, unnamed } from './run';

describe('what is newly known of a run', () => {
  it('takes the place of what the list had', () => {
    const page = { data: [sampleRun('b', { state: 'RUNNING' }), sampleRun('a')], total: 30 };
    expect(withRun(page, sampleRun('b'))).toEqual({ data: [sampleRun('b'), sampleRun('a')], total: 30 });
  });

  it('stands first where the run has just begun, and the page keeps its length', () => {
    const page = { data: Array.from({ length: 20 }, (_, at) => sampleRun(String(at))), total: 20 };
    const next = withRun(page, sampleRun('new', { state: 'RUNNING' }));
    expect(next?.data.map(({ id }) => id)).toEqual(['new', ...page.data.slice(0, 19).map(({ id }) => id)]);
    expect(next?.total).toBe(21);
  });

  it('waits for a list that is not there yet', () => {
    expect(withRun(undefined, sampleRun('a'))).toBeUndefined();
  });

  it('is read from the events that tell of that run', () => {
    expect(runIn({ event: 'etl.progress', data: sampleRun('a') }, 'a')).toEqual(sampleRun('a'));
    expect(runIn({ event: 'etl.progress', data: sampleRun('a') }, 'b')).toBeNull();
    expect(runIn({ event: 'etl.progress', data: 'a' }, 'a')).toBeNull();
    expect(runIn({ event: 'end', data: sampleRun('a') }, 'a')).toBeNull();
  });
});

it('finds the run that goes on', () => {
  expect(underWay({ data: [sampleRun('b', { state: 'RUNNING' }), sampleRun('a')] })?.id).toBe('b');
  expect(underWay({ data: [sampleRun('a')] })).toBeNull();
});

it('says how long a run took, once it is over', () => {
  expect(tookOf(sampleRun('a'))).toBe(2500);
  expect(tookOf(sampleRun('a', { finished: null }))).toBeNull();
  expect(tookOf(sampleRun('a', { finished: '2026-11-28T08:00:00.000Z' }))).toBeNull();
});

it('counts the failures that are not named', () => {
  const errors = [{ document: '1', source: 'Text', message: 'No.' }];
  expect(unnamed(sampleRun('a', { failed: 1, errors }))).toBe(0);
  expect(unnamed(sampleRun('a', { failed: 8, errors }))).toBe(7);
});

it('names a run in the address, and the page behind it', () => {
  expect(runAddress('f', 'r')).toBe('/flows/f/runs?run=r');
  expect(runAddress('f', 'r', 3)).toBe('/flows/f/runs?page=3&run=r');
});
