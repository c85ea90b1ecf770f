/** Flows made through the API, for the tests of the flow page. */
import type { Service } from './harness';

interface Param {
  name: string;
  type: string;
  list?: boolean;
  default?: unknown;
}

interface Definition {
  name: string;
  label: string;
  type: string;
  category: string;
  description: string;
  baseClasses: string[];
  inputs: Param[];
}

/** A node as an editor would have saved it, from the card's definition. */
async function node(service: Service, name: string, at: [number, number], inputs: object): Promise<Stored> {
  const card = await service.call<Definition>('GET', `/nodes/${name}`);
  const id = `${name}_0`;
  const withId = card.inputs.map((one) => ({ ...one, id: `${id}-input-${one.name}-${one.type}` }));
  const isWire = (one: Param): boolean => /^[A-Z]/.test(one.type);
  const values = Object.fromEntries(
    card.inputs.map((one) => [one.name, one.default ?? (one.list ? [] : '')]),
  );
  return {
    id,
    type: 'customNode',
    width: 300,
    height: 400,
    position: { x: at[0], y: at[1] },
    data: {
      id,
      name,
      label: card.label,
      type: card.type,
      category: card.category,
      description: card.description,
      baseClasses: card.baseClasses,
      inputParams: withId.filter((one) => !isWire(one)),
      inputAnchors: withId.filter(isWire),
      inputs: { ...values, ...inputs },
      outputAnchors: [
        { id: `${id}-output-${name}-${card.baseClasses.join('|')}`, name, label: card.type, type: card.type },
      ],
      outputs: {},
    },
  };
}

interface Anchor {
  id: string;
  name: string;
  label?: string;
  type?: string;
}

interface Stored {
  id: string;
  type: string;
  width: number;
  height: number;
  position: { x: number; y: number };
  data: Record<string, unknown> & {
    inputs: Record<string, unknown>;
    outputAnchors: Anchor[];
    inputAnchors: Anchor[];
  };
}

function wire(from: Stored, to: Stored, input: string): object {
  to.data.inputs[input] = `{{${from.id}.data.instance}}`;
  const sourceHandle = from.data.outputAnchors[0]?.id ?? '';
  const targetHandle = to.data.inputAnchors.find((anchor) => anchor.name === input)?.id ?? '';
  return {
    source: from.id,
    sourceHandle,
    target: to.id,
    targetHandle,
    type: 'buttonedge',
    id: `${from.id}-${sourceHandle}-${to.id}-${targetHandle}`,
  };
}

/** A chat canvas that answers without any provider. */
export async function chatCanvas(service: Service, reply = 'Hello {question}'): Promise<string> {
  const model = await node(service, 'chatScripted', [0, 0], { fallback: reply });
  const memory = await node(service, 'bufferMemory', [0, 320], {});
  const chain = await node(service, 'conversationChain', [420, 120], {});
  const note: Stored = await node(service, 'stickyNote', [420, -120], {
    note: 'Answers from rules, without a key.',
  });
  note.type = 'stickyNote';
  const edges = [wire(model, chain, 'model'), wire(memory, chain, 'memory')];
  return JSON.stringify({ nodes: [model, memory, chain, note], edges, viewport: { x: 0, y: 0, zoom: 1 } });
}

export interface Made {
  id: string;
  updatedDate: string;
}

/** A flow that is Live, ready to be asked. */
export async function liveFlow(service: Service, name: string): Promise<Made> {
  const flowData = await chatCanvas(service);
  const flow = await service.call<Made>('POST', '/chatflows', { name, type: 'CHATFLOW', flowData });
  await service.call('POST', `/flow-drafts/${flow.id}/publish`, {});
  return flow;
}

/** An agentflow with branches, a box, a note and a kind of node nobody knows; it stays a draft. */
export async function agentFlow(service: Service, name: string): Promise<Made> {
  const step = (id: string, card: string, label: string, x: number, y: number, outs = 1): object => ({
    id,
    type: 'agentFlow',
    position: { x, y },
    width: 180,
    height: 66,
    data: {
      id,
      name: card,
      label,
      category: 'Agent Flows',
      baseClasses: [],
      inputs: {},
      inputParams: [],
      inputAnchors: [],
      outputAnchors: Array.from({ length: outs }, (_, at) => ({
        id: `${id}-output-${at}`,
        label: card,
        name: String(at),
      })),
    },
  });
  const edge = (source: string, target: string, at = 0): object => ({
    id: `${source}-${target}-${at}`,
    source,
    target,
    sourceHandle: `${source}-output-${at}`,
    targetHandle: target,
    type: 'agentFlow',
    data: {},
  });
  const nodes = [
    step('start_0', 'startAgentflow', 'Start', 0, 0),
    step('which_0', 'conditionAgentflow', 'Which topic?', 260, 0, 2),
    step('billing_0', 'llmAgentflow', 'Billing agent', 540, -100),
    step('support_0', 'agentAgentflow', 'Support agent', 540, 100),
    {
      ...step('each_0', 'iterationAgentflow', 'Each item', 800, 60),
      type: 'iteration',
      width: 320,
      height: 180,
    },
    { ...step('look_0', 'toolAgentflow', 'Look up', 60, 80), parentNode: 'each_0', extent: 'parent' },
    {
      id: 'new_0',
      type: 'mystery',
      position: { x: 260, y: 220 },
      data: { id: 'new_0', label: 'Something new' },
    },
  ];
  const edges = [
    edge('start_0', 'which_0'),
    edge('which_0', 'billing_0'),
    edge('which_0', 'support_0', 1),
    edge('support_0', 'each_0'),
  ];
  const flowData = JSON.stringify({ nodes, edges });
  return service.call<Made>('POST', '/chatflows', { name, type: 'AGENTFLOW', flowData });
}
