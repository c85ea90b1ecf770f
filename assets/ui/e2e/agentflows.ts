import type { Service } from './harness';

/** Draws agentflows as an editor stores them, and asks them. The name of a card is its id without the number. */

type Json = Record<string, unknown>;

export const START = 'startAgentflow_0';

export class Steps {
  readonly #nodes: Json[] = [];
  readonly #edges: Json[] = [];

  constructor(start: Json = { startInputType: 'chatInput' }) {
    this.card(START, 'Start', start);
  }

  /** `inside`: the iteration that it stands in. */
  card(id: string, label: string, inputs: Json, at?: [number, number], inside?: string): this {
    const name = id.replace(/_\d+$/, '');
    const [x, y] = at ?? [260 * this.#nodes.length, 0];
    this.#nodes.push({
      id,
      type: name === 'iterationAgentflow' ? 'iteration' : 'agentFlow',
      position: { x, y },
      ...(name === 'iterationAgentflow' ? { width: 320, height: 160 } : {}),
      ...(inside ? { parentNode: inside, extent: 'parent' } : {}),
      data: { id, name, label, category: 'Agent Flows', inputs, outputs: {} },
    });
    return this;
  }

  edge(from: string, to: string, output: string | number = from.replace(/_\d+$/, '')): this {
    const handle = `${from}-output-${output}`;
    this.#edges.push({
      id: `${handle}-${to}`,
      type: 'agentFlow',
      source: from,
      sourceHandle: handle,
      target: to,
      targetHandle: to,
    });
    return this;
  }

  /** As an editor sends it. */
  text(): string {
    return JSON.stringify({ nodes: this.#nodes, edges: this.#edges });
  }

  /** Makes the flow and puts it Live; its id. */
  async flow(service: Service, name: string, publish = true): Promise<string> {
    const flowData = this.text();
    const made = await service.call<{ id: string }>('POST', '/chatflows', {
      name,
      type: 'AGENTFLOW',
      flowData,
    });
    if (publish) await service.call('POST', `/flow-drafts/${made.id}/publish`, {});
    return made.id;
  }
}

/** The inputs of an LLM that says this, as slowly as is said. */
export const says = (text: string, delayMs = 0): Json => ({
  llmModel: 'chatScripted',
  llmModelConfig: { fallback: text, ...(delayMs ? { delayMs } : {}) },
});

export const fails = (message: string): Json => ({
  llmModel: 'chatScripted',
  llmModelConfig: { rules: JSON.stringify([{ fail: { status: 500, message } }]) },
});

/** An agent with a calculator, branches beside it, an iteration, and a person who is asked. */
export function review(): Steps {
  const rules = [
    { after: 'tool', match: '.+', reply: 'It is {0}.' },
    { after: 'user', toolCalls: [{ name: 'calculator', arguments: { input: '6*7' } }] },
  ];
  return new Steps()
    .card('llmAgentflow_0', 'Writer', says('A short draft about parcels.', 60), [300, -160])
    .card(
      'agentAgentflow_0',
      'Counter',
      {
        agentModel: 'chatScripted',
        agentModelConfig: { rules: JSON.stringify(rules) },
        agentTools: [{ agentSelectedTool: 'calculator', agentSelectedToolConfig: {} }],
      },
      [300, 0],
    )
    .card(
      'iterationAgentflow_0',
      'Each city',
      { iterationInput: '["Berlin", "Paris"]', iterationConcurrency: 2 },
      [300, 140],
    )
    .card(
      'llmAgentflow_1',
      'Weather',
      {
        ...says('Rain in {question}', 40),
        llmEnableMemory: false,
        llmMessages: [{ role: 'user', content: '{{ $iteration }}' }],
      },
      [60, 60],
      'iterationAgentflow_0',
    )
    .card(
      'humanInputAgentflow_0',
      'Ask the boss',
      {
        humanInputDescriptionType: 'fixed',
        humanInputDescription: 'Shall I send it?',
        humanInputEnableFeedback: true,
      },
      [720, 0],
    )
    .card(
      'directReplyAgentflow_0',
      'Sent',
      { directReplyMessage: 'Sent ({{ humanInputAgentflow_0 }})' },
      [1000, -80],
    )
    .card(
      'directReplyAgentflow_1',
      'Kept',
      { directReplyMessage: 'Kept ({{ humanInputAgentflow_0 }})' },
      [1000, 80],
    )
    .edge(START, 'llmAgentflow_0')
    .edge(START, 'agentAgentflow_0')
    .edge(START, 'iterationAgentflow_0')
    .edge('llmAgentflow_0', 'humanInputAgentflow_0')
    .edge('agentAgentflow_0', 'humanInputAgentflow_0')
    .edge('iterationAgentflow_0', 'humanInputAgentflow_0')
    .edge('humanInputAgentflow_0', 'directReplyAgentflow_0', 0)
    .edge('humanInputAgentflow_0', 'directReplyAgentflow_1', 1);
}

/** Asks, as a page of somebody else would; the record of the run. */
export async function ask(service: Service, flow: string, question: string): Promise<string> {
  const answer = await service
    .call<{ executionId?: string }>('POST', `/prediction/${flow}`, { question })
    .catch(() => null);
  if (answer?.executionId) return answer.executionId;
  const page = await service.call<{ data: { id: string }[] }>(
    'GET',
    `/executions?agentflowId=${flow}&limit=1`,
  );
  return page.data[0]?.id ?? '';
}
