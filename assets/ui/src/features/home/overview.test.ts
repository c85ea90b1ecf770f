import { expect, it } from 'vitest';
import type { FlowSummary } from '../../api/models';
import { inState, most, recent } from './overview';

const flow = (
  id: string,
  updatedDate: string,
  draft: { updatedDate: string; stale: boolean } | null = null,
) =>
  ({
    id,
    name: id,
    updatedDate,
    state: { mode: 'draft', draft, hasLive: true, lastPublished: null },
  }) as unknown as FlowSummary;
const used = (id: string, questions: number, deleted = false) => ({
  id,
  name: id,
  deleted,
  questions,
  medianMs: null,
  failed: 1,
  promptTokens: 10,
  completionTokens: 5,
});
const flows = [
  flow('old', '2026-01-01', { updatedDate: '2026-03-01', stale: true }),
  flow('new', '2026-02-01', { updatedDate: '2026-02-02', stale: false }),
  flow('live', '2026-01-15'),
];

it('puts first what was worked on last, be it in the draft', () => {
  expect(recent(flows, 2).map(({ id }) => id)).toEqual(['old', 'new']);
});

it('counts flows as their list does', () => {
  expect([inState(flows, 'stale'), inState(flows, 'changes'), inState(flows, 'live')]).toEqual([1, 1, 1]);
});

it('names the flows that were asked most, and none that nobody asked or that is gone', () => {
  const shown = most(
    [used('old', 2), used('new', 8), used('live', 0), used('gone', 9, true)],
    'questions',
    5,
  );
  expect(shown.map(({ id, part }) => [id, part])).toEqual([
    ['new', 1],
    ['old', 0.25],
  ]);
});

it('names the flows that failed most, and none that did not fail', () => {
  const flows = [used('a', 9), { ...used('b', 2), failed: 2 }, { ...used('c', 4), failed: 0 }];
  expect(most(flows, 'failed', 5).map(({ id, part }) => [id, part])).toEqual([
    ['b', 1],
    ['a', 0.5],
  ]);
});
