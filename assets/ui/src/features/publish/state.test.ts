import { describe, expect, it } from 'vitest';
import type { DraftStatus, Flow } from '../../api/models';
import { fixes } from './problems';
import { explanation, stateOf } from './state';

const status: DraftStatus = {
  enabled: true,
  mode: 'draft',
  reason: null,
  publishInstantly: false,
  draft: null,
  lastPublished: null,
};
const node = (id: string, inputs: object = {}, name = 'llmChain'): object => ({
  id,
  position: { x: 0, y: 0 },
  data: { name, label: `The ${id}`, inputs },
});
const canvas = (...nodes: object[]): string => JSON.stringify({ nodes, edges: [] });
const says = (flowData: string, change: Partial<DraftStatus> = {}): string =>
  explanation(stateOf({ flowData } as Flow, { ...status, ...change }));

describe('the state of a flow', () => {
  const draft = { flowData: '', updatedDate: '2026-01-01', updatedBy: null, stale: false };
  it('follows from Live, the draft and the mode', () => {
    expect(says(canvas())).toBe('never');
    expect(says(canvas(node('n', {}, 'stickyNote')), { draft })).toBe('never');
    expect(says(canvas(), { lastPublished: { sha: null, date: '2026-01-01' } })).toBe('live');
    expect(says(canvas(node('a')))).toBe('live');
    expect(says(canvas(node('a')), { draft })).toBe('changes');
    expect(says(canvas(node('a')), { draft: { ...draft, stale: true } })).toBe('stale');
    expect(says(canvas(node('a')), { mode: 'live', reason: 'type' })).toBe('type');
  });
});

describe('what a restore leaves to do', () => {
  it('is listed with the node to go to', () => {
    const notes = {
      missingCredentials: [{ name: 'Prod key', credentialName: 'openAIApi' }],
      ambiguousCredentials: [
        { name: 'A', credentialName: 'x', count: 2, using: 'current' as const },
        { name: 'B', credentialName: 'x', count: 2, using: 'oldest' as const },
      ],
      hiddenSecrets: [{ node: 'a', label: 'The a', input: 'header', inputLabel: 'Header', count: 1 }],
    };
    expect(fixes(notes).map((fix) => [fix.node, fix.text.split(' ')[0]])).toEqual([
      [null, 'The'],
      [null, '2'],
      ['a', 'Header'],
    ]);
  });
});
