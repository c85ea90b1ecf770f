import { expect, test } from 'vitest';
import { tookOf } from '../../core/run';
import { canvasOf, isOver, queryOf } from './view';

const asks = (address: Record<string, string>) => queryOf((name) => address[name] ?? '');

test('an address becomes a question to the service', () => {
  const flow = '01f47651-25e1-4370-9fb7-bcab7dd18fed';
  expect(asks({ state: 'ERROR', flow, session: ' s 1 ', page: '3' })).toEqual({
    page: 3,
    limit: 25,
    state: 'ERROR',
    agentflowId: flow,
    sessionId: 's 1',
  });
  expect(asks({ since: '2026-11-21' }).startDate).toMatch(/^2026-11-2[01]T/);
});

test('what is odd in an address is left out', () => {
  expect(asks({ state: 'BROKEN', flow: 'x', since: 'yesterday', page: '-2' })).toEqual({
    page: 1,
    limit: 25,
  });
});

test('how long a run took is known once it is over', () => {
  const row = {
    state: 'FINISHED',
    createdDate: '2026-11-21T10:00:00Z',
    stoppedDate: '2026-11-21T10:00:02Z',
  } as const;
  expect(tookOf(row)).toBe(2000);
  expect(tookOf({ ...row, state: 'STOPPED' })).toBeNull();
  expect(tookOf({ ...row, stoppedDate: null })).toBeNull();
  expect(tookOf({ ...row, stoppedDate: 'odd' })).toBeNull();
  expect(['INPROGRESS', 'STOPPED', 'TIMEOUT'].map(isOver)).toEqual([false, false, true]);
});

test('the canvas of a run is the version that ran, or the draft as it is now', () => {
  expect(canvasOf({ agentflowId: 'f', flowVersion: 'abc' }, 'n')).toBe('/flows/f/versions?v=abc');
  expect(canvasOf({ agentflowId: 'f' }, 'a b')).toBe('/flows/f?node=a%20b');
});
