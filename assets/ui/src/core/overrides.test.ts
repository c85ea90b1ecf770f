import { describe, expect, it } from 'vitest';
import { grouped, neverChanged, readOverrides, rowKey, writeOverrides, type Allowable } from './overrides';

const row = (node: string, name: string, more: Partial<Allowable> = {}): Allowable => ({
  node,
  nodeId: `${node}_0`,
  label: name,
  name,
  type: 'string',
  ...more,
});
const offered = [
  row('Model', 'temperature'),
  row('Model', 'modelName'),
  row('Chain', 'prompt', { schema: { a: 1 } }),
];
const variable = { id: 'v1', name: 'tone', type: 'static' };

describe('overrides', () => {
  it('are written as rows by card label, with everything else kept', () => {
    const before = JSON.stringify({ rateLimit: { a: 1 }, overrideConfig: { own: true, variables: [] } });
    const value = {
      on: true,
      rows: [rowKey('Model', 'temperature'), rowKey('Chain', 'prompt')],
      variables: ['tone'],
    };
    const written = writeOverrides(before, value, offered, [variable]);
    expect(JSON.parse(written)).toEqual({
      rateLimit: { a: 1 },
      overrideConfig: {
        own: true,
        status: true,
        nodes: {
          Model: [{ label: 'temperature', name: 'temperature', type: 'string', enabled: true }],
          Chain: [{ label: 'prompt', name: 'prompt', type: 'string', schema: { a: 1 }, enabled: true }],
        },
        variables: [{ ...variable, enabled: true }],
      },
    });
    expect(readOverrides(written)).toEqual(value);
  });

  it('keep ticked rows of cards that are not on offer now, and drop others', () => {
    const kept = { label: 'x', name: 'x', type: 'string', enabled: true };
    const before = JSON.stringify({ overrideConfig: { nodes: { Gone: [kept, { ...kept, name: 'y' }] } } });
    const written = writeOverrides(
      before,
      { on: true, rows: [rowKey('Gone', 'x')], variables: [] },
      offered,
      [],
    );
    expect(JSON.parse(written).overrideConfig.nodes).toEqual({ Gone: [kept] });
  });

  it('list one row for two cards of a label, and never a blocked one', () => {
    const twice = [...offered, row('Model', 'temperature', { nodeId: 'Model_1' })];
    expect(grouped(twice).map((group) => [group.node, group.rows.length])).toEqual([
      ['Model', 2],
      ['Chain', 1],
    ]);
    const blocked = [row('Model', 'apiKey', { blocked: 'Credentials' })];
    const value = { on: true, rows: [rowKey('Model', 'apiKey')], variables: [] };
    expect(JSON.parse(writeOverrides(null, value, blocked, [])).overrideConfig.nodes).toEqual({});
  });

  it('know what the service left out', () => {
    const params = ['temperature', 'basepath'].map((name) => ({ name, label: name, type: 'string' }));
    const nodes = [
      { id: 'Model_0', position: { x: 0, y: 0 }, data: { label: 'Model', inputParams: params } },
      { id: 'Note_0', position: { x: 0, y: 0 }, data: { label: 'Note', inputParams: params } },
    ];
    const never = neverChanged(JSON.stringify({ nodes, edges: [] }), offered);
    expect(never.map((one) => [one.node, one.name])).toEqual([['Model', 'basepath']]);
  });
});
