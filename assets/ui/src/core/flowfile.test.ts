import { describe, expect, it } from 'vitest';
import { exportFlow } from './flowfile';

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
});
