import { describe, expect, it } from 'vitest';
import type { ImportItem, ImportResult, PublishResults } from '../../api/transfer';
import { flowsIn, isPlain, tellings, unpublished } from './report';

const flow: ImportItem = {
  kind: 'ChatFlow',
  action: 'create',
  id: 'a',
  name: 'Help',
  type: 'CHATFLOW',
  reason: null,
};
const result = (...items: ImportItem[]): ImportResult => ({
  message: 'preview',
  items,
  created: 1,
  updated: 0,
  skipped: 0,
  refused: 0,
  unsupported: [],
});
const problem = {
  id: 'm',
  label: 'Model',
  name: 'chatOpenAI',
  issues: ['A credential is required.'],
  blocks: true,
};

describe('the report of an import', () => {
  it('is plain when one flow comes in and there is nothing else to tell', () => {
    expect(isPlain(result(flow))).toBe(true);
    expect(isPlain(result(flow, flow))).toBe(false);
    expect(isPlain(result({ ...flow, action: 'skip' }))).toBe(false);
    expect(isPlain(result({ ...flow, notes: ['It asks for a key.'] }))).toBe(false);
    expect(isPlain(result({ kind: 'Tool', action: 'create', id: 't', name: 'Search', reason: null }))).toBe(
      false,
    );
    const unsupported = [{ what: 'card' as const, name: 'noSuchCard', count: 1, flows: 1 }];
    expect(isPlain({ ...result(flow), unsupported })).toBe(false);
  });

  it('knows where its flows are now', () => {
    const tool: ImportItem = { kind: 'Tool', action: 'create', id: 't', name: 'Search', reason: null };
    const copy: ImportItem = { ...flow, id: 'b', newId: 'c', action: 'duplicate' };
    expect(flowsIn(result(flow, tool, copy, { ...flow, id: 'd', action: 'refused' }))).toEqual(['a', 'c']);
  });

  it('tells why, what to know and what is wrong', () => {
    const item = {
      ...flow,
      reason: 'It is here already.',
      notes: ['It asks for a key.'],
      problems: [problem],
    };
    expect(tellings(item)).toEqual([
      'It is here already.',
      'It asks for a key.',
      'Model: A credential is required.',
    ]);
  });
});

describe('the report of publishing many', () => {
  it('names what keeps a flow from it', () => {
    const outcome = (change: object): PublishResults['results'][number] => ({
      id: 'a',
      name: 'Help',
      outcome: 'published',
      reason: null,
      problems: [],
      version: null,
      recorded: false,
      historyError: null,
      ...change,
    });
    const results = [
      outcome({}),
      outcome({ id: 'b', outcome: 'blocked', problems: [problem, { ...problem, id: '', blocks: false }] }),
      outcome({ id: 'c', outcome: 'refused', reason: 'Not yours.' }),
    ];
    const told = { published: 1, unchanged: 0, blocked: 1, refused: 1, results };
    expect(unpublished(told)).toEqual([
      { id: 'b', name: 'Help', why: ['Model: A credential is required.'] },
      { id: 'c', name: 'Help', why: ['Not yours.'] },
    ]);
  });
});
