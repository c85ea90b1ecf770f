import { describe, expect, it } from 'vitest';
import type { FlowState, FlowSummary } from '../../api/models';
import { chipOf, edited, passing, sorted } from './state';

const base: FlowState = {
  enabled: true,
  mode: 'draft',
  reason: null,
  publishInstantly: false,
  draft: null,
  lastPublished: null,
  hasLive: false,
};
const draft = { updatedDate: '2026-03-02T00:00:00.000Z', updatedBy: null, stale: false };

const flow = (name: string, more: Partial<FlowSummary> = {}): FlowSummary =>
  ({
    id: name,
    name,
    type: 'CHATFLOW',
    category: null,
    updatedDate: '2026-03-01T00:00:00.000Z',
    ...more,
  }) as FlowSummary;

describe('the list of flows', () => {
  it('says the state of a flow in one chip', () => {
    expect(chipOf(base)).toBe('never');
    expect(chipOf({ ...base, draft })).toBe('never');
    expect(chipOf({ ...base, hasLive: true })).toBe('live');
    expect(chipOf({ ...base, hasLive: true, draft })).toBe('changes');
    expect(chipOf({ ...base, hasLive: true, draft: { ...draft, stale: true } })).toBe('stale');
    expect(chipOf({ ...base, mode: 'live', reason: 'type' })).toBe('straight');
  });

  it('filters by kind, state, tag and words', () => {
    const all = [
      flow('Billing help', { category: 'money;Support' }),
      flow('Weather', { type: 'AGENTFLOW', state: base }),
    ];
    const view = { kind: '', state: '', tag: '', text: '' };
    const names = (part: object): string[] => passing(all, { ...view, ...part }).map((one) => one.name);
    expect(names({ text: 'help bill' })).toEqual(['Billing help']);
    expect(names({ tag: 'support' })).toEqual(['Billing help']);
    expect(names({ kind: 'AGENTFLOW' })).toEqual(['Weather']);
    expect(names({ state: 'never' })).toEqual(['Weather']);
    expect(passing(all, { ...view, kind: 'ETL' }, 'kind')).toHaveLength(2);
  });

  it('sorts, with what has no date last', () => {
    const by = (a: string, b: string): number => a.localeCompare(b);
    const all = [
      flow('b', { state: { ...base, lastPublished: { sha: null, date: '2026-01-01' } } }),
      flow('a'),
      flow('c', { state: { ...base, lastPublished: { sha: null, date: '2026-02-01' }, draft } }),
    ];
    const names = (...how: ['name' | 'published' | 'edited', boolean]): string =>
      sorted(all, ...how, by)
        .map((one) => one.name)
        .join('');
    expect([
      names('name', true),
      names('published', true),
      names('published', false),
      names('edited', true),
    ]).toEqual(['cba', 'cba', 'bca', 'cab']);
    expect(edited(all[2] ?? flow(''))).toBe(draft.updatedDate);
  });
});
