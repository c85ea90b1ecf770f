import { describe, expect, it } from 'vitest';
import { exportFlow, importFlows } from './flowfile';

const canvas = {
  nodes: [
    {
      id: 'llm_0',
      type: 'agentFlow',
      position: { x: 0, y: 0 },
      data: {
        credential: 'c1',
        inputParams: [
          { name: 'key', type: 'password' },
          { name: 'text', type: 'string' },
        ],
        inputs: {
          key: 'hidden',
          text: 'shown',
          modelConfig: { FLOWISE_CREDENTIAL_ID: 'c2', temperature: 0 },
        },
      },
    },
  ],
  edges: [],
};

describe('flow files', () => {
  it('leaves credentials and passwords out of an export', () => {
    const text = exportFlow({ name: 'Help', type: 'AGENTFLOW', flowData: JSON.stringify(canvas) });
    expect(text).not.toMatch(/c1|c2|hidden/);
    expect(JSON.parse(text)).toMatchObject({
      name: 'Help',
      type: 'AGENTFLOW',
      nodes: [{ data: { inputs: { text: 'shown', modelConfig: { temperature: 0 } } } }],
    });
  });

  it('reads its own export, a bare canvas and a record', () => {
    const text = exportFlow({ name: 'Help', type: 'AGENTFLOW', flowData: JSON.stringify(canvas) });
    const own = importFlows(text, 'x.json');
    expect(own).toMatchObject({ ok: true, flows: [{ name: 'Help', type: 'AGENTFLOW' }] });
    expect(own.ok && JSON.parse(own.flows[0]?.flowData ?? '')).not.toHaveProperty('name');
    expect(importFlows(JSON.stringify(canvas), 'My bot.json')).toMatchObject({
      flows: [{ name: 'My bot', type: 'AGENTFLOW', flowData: JSON.stringify(canvas) }],
    });
    const record = {
      name: 'Old',
      type: 'CHATFLOW',
      flowData: '{"nodes":[],"edges":[]}',
      category: 'a;b',
      isPublic: true,
    };
    expect(importFlows(JSON.stringify(record), 'x')).toEqual({
      ok: true,
      flows: [{ name: 'Old', type: 'CHATFLOW', flowData: '{"nodes":[],"edges":[]}', category: 'a;b' }],
    });
  });

  it('reads the export of a whole workspace', () => {
    const many = {
      ChatFlow: [{ name: 'A', flowData: '{"nodes":[],"edges":[]}' }],
      AgentFlowV2: [{ name: 'B', flowData: JSON.stringify(canvas) }],
      Tool: [],
    };
    expect(importFlows(JSON.stringify(many), 'x')).toMatchObject({
      flows: [
        { name: 'A', type: 'CHATFLOW' },
        { name: 'B', type: 'AGENTFLOW' },
      ],
    });
  });

  it('says what is wrong', () => {
    expect(importFlows('{', 'x')).toEqual({ ok: false, problem: 'not-json' });
    expect(importFlows('[]', 'x')).toEqual({ ok: false, problem: 'not-object' });
    expect(importFlows('{"a":1}', 'x')).toEqual({ ok: false, problem: 'no-flows' });
    expect(importFlows('{"nodes":[]}', 'x')).toEqual({ ok: false, problem: 'no-edges' });
    expect(importFlows('{"flowData":"{"}', 'x')).toEqual({ ok: false, problem: 'not-json' });
  });
});
