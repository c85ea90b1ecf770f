import { describe, expect, it } from 'vitest';
import { countOf, diffCanvas, isEmpty } from './canvasDiff';

const node = (id: string, name: string, inputs: object, more: object = {}): object => ({
  id,
  position: { x: 0, y: 0 },
  width: 300,
  data: {
    id,
    name,
    label: `The ${id}`,
    inputParams: [
      { name: 'prompt', label: 'Prompt', type: 'string' },
      { name: 'key', label: 'Key', type: 'password' },
    ],
    inputs,
  },
  ...more,
});
const edge = (source: string, target: string): object => ({
  id: `${source}-${target}`,
  source,
  target,
  sourceHandle: `${source}-output`,
  targetHandle: `${target}-input-prompt-string`,
});
const canvas = (nodes: object[], edges: object[] = []): string => JSON.stringify({ nodes, edges });

describe('diffCanvas', () => {
  it('tells nodes that came, went, changed and moved, with values', () => {
    const before = canvas([node('a', 'llm', { prompt: 'be kind' }), node('b', 'tool', {})], [edge('b', 'a')]);
    const after = canvas([
      node('a', 'llm', { prompt: 'be brief' }, { position: { x: 9, y: 0 } }),
      node('c', 'tool', {}),
    ]);
    const diff = diffCanvas(before, after);
    expect(diff).toEqual({
      added: [{ id: 'c', label: 'The c' }],
      removed: [{ id: 'b', label: 'The b' }],
      changed: [
        {
          id: 'a',
          label: 'The a',
          fields: [{ name: 'prompt', label: 'Prompt', before: 'be kind', after: 'be brief' }],
        },
      ],
      moved: [{ id: 'a', label: 'The a' }],
      edges: [{ kind: 'removed', from: 'The b', to: 'The a', input: 'Prompt' }],
    });
    expect(countOf(diff)).toBe(4);
  });

  it('never shows a password, nor ids of credentials', () => {
    const before = canvas([node('a', 'llm', { key: 'one' })]);
    const after = canvas([node('a', 'llm', { key: 'two' })]);
    expect(diffCanvas(before, after).changed[0]?.fields).toEqual([
      { name: 'key', label: 'Key', before: null, after: null },
    ]);
  });

  it('does not count what an editor leaves behind, nor the order of keys', () => {
    const before = canvas([node('a', 'llm', { prompt: 'x', list: { one: 1, two: 2 } })]);
    const after = canvas([
      node('a', 'llm', { list: { two: 2, one: 1 }, prompt: 'x' }, { selected: true, width: 320 }),
    ]);
    expect(isEmpty(diffCanvas(before, after))).toBe(true);
  });

  it('takes a card that became another one as gone and new', () => {
    const diff = diffCanvas(canvas([node('a', 'llm', {})]), canvas([node('a', 'agent', {})]));
    expect([diff.added.length, diff.removed.length, diff.changed.length]).toEqual([1, 1, 0]);
    expect(diffCanvas(null, canvas([node('a', 'llm', {})])).added).toHaveLength(1);
  });

  it('lays out JSON text, so that its lines can be compared', () => {
    const [before, after] = ['[1,2]', '[1,3]'].map((prompt) => canvas([node('a', 'llm', { prompt })]));
    expect(diffCanvas(before ?? '', after ?? '').changed[0]?.fields[0]?.after).toBe('[\n  1,\n  3\n]');
  });
});
