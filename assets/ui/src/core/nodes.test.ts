import { describe, expect, it } from 'vitest';
import type { FlowEdge, FlowNode } from './flowdata';
import { inOrder, inputRows, nextTo, nodeLabel, portsOf } from './nodes';

const node = (data: Record<string, unknown>, more: Partial<FlowNode> = {}): FlowNode => ({
  id: 'chain_0',
  type: 'customNode',
  position: { x: 0, y: 0 },
  data,
  ...more,
});
const edge = (sourceHandle: string, targetHandle: string): FlowEdge => ({
  id: 'e',
  source: 'model_0',
  target: 'chain_0',
  sourceHandle,
  targetHandle,
});

describe('ports', () => {
  it('are what the node says, and what edges name beyond that', () => {
    const chain = node({
      inputAnchors: [{ id: 'in-model', name: 'model', label: 'Chat Model' }],
      outputAnchors: [
        {
          name: 'output',
          options: [
            { id: 'out-a', name: 'a', label: 'A' },
            { id: 'out-b', name: 'b', label: 'B' },
          ],
        },
      ],
      outputs: { output: 'b' },
    });
    const ports = portsOf(chain, [edge('x', 'in-gone')]);
    expect(ports.inputs).toEqual([
      { id: 'in-model', label: 'Chat Model' },
      { id: 'in-gone', label: 'in-gone', gone: true },
    ]);
    expect(ports.outputs).toEqual([{ id: 'out-b', label: 'B' }]);
  });

  it('that only a connection names are gone when the node lists others by name, and not this one', () => {
    const chain = node({ inputAnchors: [{ name: 'model', label: 'Chat Model' }] });
    const inputs = portsOf(chain, [
      edge('x', 'chain_0-input-model-BaseChatModel'),
      { ...edge('x', 'chain_0-input-memory-BaseMemory'), id: 'f' },
      { ...edge('x', 'chain_0'), id: 'g' },
    ]).inputs;
    expect(inputs).toEqual([
      { id: 'chain_0-input-model-BaseChatModel', label: 'Chat Model' },
      { id: 'chain_0-input-memory-BaseMemory', label: 'memory', gone: true },
      { id: 'chain_0', label: '' },
    ]);
    // A node that says nothing of itself may have every place.
    expect(portsOf(node({}), [edge('x', 'chain_0-input-model-X')]).inputs[0]?.gone).toBeUndefined();
  });
});

describe('inputs', () => {
  const chain = node({
    label: 'Chain',
    inputAnchors: [{ id: 'in-model', name: 'model', label: 'Chat Model', type: 'BaseChatModel' }],
    inputParams: [
      { id: 'p1', name: 'key', label: 'Key', type: 'password' },
      { id: 'p2', name: 'rules', label: 'Rules', type: 'json' },
      { id: 'p3', name: 'empty', label: 'Empty', type: 'string' },
    ],
    inputs: { model: '{{model_0.data.instance}}', key: 'hidden', rules: '[{"a":1}]', empty: '', unknown: 3 },
  });

  it('are all there, secrets marked, wires told as nodes', () => {
    const rows = inputRows(chain, [edge('x', 'in-model')]);
    expect(rows.map((row) => [row.name, row.value, row.secret, row.from])).toEqual([
      ['model', null, false, ['model_0']],
      ['key', 'hidden', true, []],
      ['rules', '[\n  {\n    "a": 1\n  }\n]', false, []],
      ['empty', null, false, []],
      ['unknown', '3', false, []],
    ]);
    expect(nodeLabel(chain)).toBe('Chain');
  });
});

describe('arrows', () => {
  const all = [
    { id: 'a', x: 0, y: 0 },
    { id: 'b', x: 100, y: 10 },
    { id: 'c', x: 90, y: 200 },
    { id: 'd', x: 0, y: 150 },
  ];
  const from = (id: string): (typeof all)[number] => all.find((one) => one.id === id) ?? { id, x: 0, y: 0 };

  it('go to the nearest node ahead', () => {
    expect(nextTo(from('a'), all, 'right')).toBe('b');
    expect(nextTo(from('a'), all, 'down')).toBe('d');
    expect(nextTo(from('c'), all, 'left')).toBe('d');
    expect(nextTo(from('a'), all, 'left')).toBeNull();
  });

  it('have a reading order beside them', () => {
    const nodes = all.map(({ id, x, y }) => node({}, { id, position: { x, y } }));
    expect(inOrder(nodes).map((one) => one.id)).toEqual(['a', 'd', 'c', 'b']);
  });
});
