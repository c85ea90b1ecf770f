import { describe, expect, it } from 'vitest';
import { emptyFlow, parseFlow, writeFlow, type LoadedFlow } from './flowdata';

// Shaped like the canvases older editors stored.
const canvas = {
  description: 'answers from notes',
  nodes: [
    {
      width: 300,
      height: 143,
      id: 'group_0',
      position: { x: 10, y: 20 },
      type: 'iteration',
      data: { id: 'group_0', label: 'Each', name: 'iterationAgentflow', inputs: {} },
      positionAbsolute: { x: 10, y: 20 },
      selected: false,
      style: { width: 300, height: 250 },
      resizing: false,
    },
    {
      id: 'chat_0',
      position: { x: 40.5, y: -3 },
      type: 'customNode',
      data: { id: 'chat_0', inputs: { temperature: 0.9, note: '' }, outputs: {}, selected: false },
      width: 300,
      height: 143,
      selected: true,
      parentNode: 'group_0',
      extent: 'parent',
      positionAbsolute: { x: 50.5, y: 17 },
      dragging: false,
    },
    { id: 'odd_0', position: { x: 0, y: 0 }, type: 'stickyNote' },
  ],
  edges: [
    {
      source: 'group_0',
      sourceHandle: 'a',
      target: 'chat_0',
      targetHandle: 'b',
      type: 'buttonedge',
      id: 'e1',
      selected: true,
      data: { label: '' },
    },
  ],
  viewport: { x: 1, y: 2, zoom: 0.5 },
  unknown: [1, { two: null }],
};

function load(text: string): LoadedFlow {
  const parsed = parseFlow(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.flow;
}

describe('flow data', () => {
  it('gives the same text without edits, however it was spaced', () => {
    for (const text of [
      JSON.stringify(canvas),
      JSON.stringify(canvas, null, 2),
      `${JSON.stringify(canvas)}\n`,
    ]) {
      const { nodes, edges, origin } = load(text);
      expect(writeFlow(nodes, edges, origin)).toBe(text);
    }
  });

  it('takes sizes and marks off nodes, and maps the parent', () => {
    const { nodes, edges } = load(JSON.stringify(canvas));
    const [group, chat] = nodes;
    for (const mark of ['width', 'height', 'positionAbsolute', 'selected', 'dragging', 'resizing']) {
      expect(group).not.toHaveProperty(mark);
      expect(chat).not.toHaveProperty(mark);
    }
    expect(chat).toMatchObject({ parentId: 'group_0', extent: 'parent' });
    expect(chat).not.toHaveProperty('parentNode');
    expect(group).toHaveProperty('style.height', 250);
    expect(edges[0]).not.toHaveProperty('selected');
  });

  it('ignores what the editor notes on its own', () => {
    const text = JSON.stringify(canvas);
    const { nodes, edges, origin } = load(text);
    const marked = nodes.map((node) => ({
      ...node,
      measured: { width: 1, height: 2 },
      selected: true,
      dragging: true,
    }));
    expect(
      writeFlow(
        marked,
        edges.map((edge) => ({ ...edge, selected: false })),
        origin,
      ),
    ).toBe(text);
  });

  it('writes a move and nothing else', () => {
    const { nodes, edges, origin } = load(JSON.stringify(canvas));
    const after = nodes.map((node) =>
      node.id === 'chat_0' ? { ...node, position: { x: 50.5, y: 0 } } : node,
    );
    const wanted = structuredClone(canvas);
    const chat = wanted.nodes[1] as { position: object; positionAbsolute?: object };
    chat.position = { x: 50.5, y: 0 };
    chat.positionAbsolute = { x: 60.5, y: 20 };
    expect(writeFlow(after, edges, origin)).toBe(JSON.stringify(wanted));
  });

  it('keeps a new size, and writes new nodes as they are', () => {
    const { nodes, edges, origin } = load(JSON.stringify(canvas));
    const grown = nodes.map((node) => (node.id === 'group_0' ? { ...node, width: 500 } : node));
    const added = {
      id: 'new_0',
      position: { x: 1, y: 1 },
      data: {},
      type: 'customNode',
      parentId: 'group_0',
      selected: true,
    };
    const written = JSON.parse(writeFlow([...grown, added], edges, origin)) as typeof canvas;
    expect(written.nodes[0]).toMatchObject({ width: 500, height: 143 });
    expect(written.nodes[3]).toEqual({
      id: 'new_0',
      position: { x: 1, y: 1 },
      data: {},
      type: 'customNode',
      parentNode: 'group_0',
    });
  });

  it('refuses what is no canvas, and says why', () => {
    const node = { id: 'a', position: { x: 0, y: 0 }, data: {} };
    const cases: [string, string][] = [
      ['{', 'not-json'],
      ['[]', 'not-object'],
      ['{"edges":[]}', 'no-nodes'],
      ['{"nodes":[]}', 'no-edges'],
      ['{"nodes":[1],"edges":[]}', 'bad-node'],
      ['{"nodes":[{"id":"a","position":{"x":"1","y":0}}],"edges":[]}', 'bad-node'],
      ['{"nodes":[],"edges":[{"id":"e","source":1,"target":"b"}]}', 'bad-edge'],
      [JSON.stringify({ nodes: [node, node], edges: [] }), 'same-id'],
    ];
    for (const [text, problem] of cases) expect(parseFlow(text), text).toEqual({ ok: false, problem });
  });

  it('begins empty', () => {
    const { nodes, edges, origin } = emptyFlow();
    expect(writeFlow(nodes, edges, origin)).toBe('{"nodes":[],"edges":[]}');
    expect(load('').nodes).toEqual([]);
  });
});
