import type { Service } from './harness';

/** Draws canvases in the form an editor stores, from the definitions that the service itself hands out. */

type Json = Record<string, unknown>;

interface Definition extends Json {
  name: string;
  inputs?: { name: string; default?: unknown; list?: boolean }[];
  outputs?: { name: string }[];
}

export interface DrawnNode extends Json {
  id: string;
  position: { x: number; y: number };
  data: Json & { inputs: Json };
}

export class Drawing {
  readonly #service: Service;
  readonly nodes: DrawnNode[] = [];
  readonly edges: Json[] = [];

  constructor(service: Service) {
    this.#service = service;
  }

  /** Puts a card on the canvas with `inputs` over its defaults; gives its id. */
  async card(name: string, inputs: Json = {}): Promise<string> {
    const definition = await this.#service.call<Definition>('GET', `/nodes/${name}`);
    const id = `${name}_${this.nodes.filter((node) => node.data.name === name).length}`;
    const params = definition.inputs ?? [];
    const values: Json = {};
    for (const param of params) values[param.name] = param.default ?? (param.list ? [] : '');
    const output = definition.outputs?.[0]?.name;
    this.nodes.push({
      id,
      type: 'customNode',
      width: 300,
      height: 240,
      position: { x: 380 * this.nodes.length, y: 100 },
      data: {
        id,
        name,
        label: definition.label,
        version: definition.version,
        type: definition.type,
        category: definition.category,
        baseClasses: definition.baseClasses,
        inputParams: params,
        inputAnchors: [],
        inputs: { ...values, ...inputs },
        outputAnchors: [],
        outputs: output ? { output } : {},
      },
    });
    return id;
  }

  /** Connects `from` to the input `input` of `to`. */
  wire(from: string, to: string, input: string): void {
    const inputs = this.node(to).data.inputs;
    const reference = `{{${from}.data.instance}}`;
    const there = inputs[input];
    if (Array.isArray(there)) there.push(reference);
    else inputs[input] = reference;
    this.edges.push({
      id: `${from}-${to}`,
      type: 'buttonedge',
      source: from,
      sourceHandle: `${from}-output`,
      target: to,
      targetHandle: `${to}-input-${input}`,
    });
  }

  node(id: string): DrawnNode {
    const found = this.nodes.find((node) => node.id === id);
    if (!found) throw new Error(`There is no node ${id}.`);
    return found;
  }

  text(): string {
    return JSON.stringify({ nodes: this.nodes, edges: this.edges, viewport: { x: 0, y: 0, zoom: 1 } });
  }
}

/** A rule of the scripted model. */
export interface Rule {
  match?: string;
  after?: 'user' | 'tool';
  reply?: string;
  delayMs?: number;
  toolCalls?: { name: string; arguments: Json }[];
  fail?: { status: number; retryAfter?: number; message?: string };
}

/** A conversation in front of the scripted model. */
export async function conversation(service: Service, rules: Rule[], inputs: Json = {}): Promise<Drawing> {
  const drawing = new Drawing(service);
  const model = await drawing.card('chatScripted', { rules: JSON.stringify(rules), ...inputs });
  const memory = await drawing.card('bufferMemory');
  const chain = await drawing.card('conversationChain', { systemMessagePrompt: 'Be kind.' });
  drawing.wire(model, chain, 'model');
  drawing.wire(memory, chain, 'memory');
  return drawing;
}

/** An agent with a calculator. */
export async function agent(service: Service, rules: Rule[]): Promise<Drawing> {
  const drawing = new Drawing(service);
  const model = await drawing.card('chatScripted', { rules: JSON.stringify(rules) });
  const calculator = await drawing.card('calculator');
  const toolAgent = await drawing.card('toolAgent', { systemMessage: 'Count well.' });
  drawing.wire(model, toolAgent, 'model');
  drawing.wire(calculator, toolAgent, 'tools');
  return drawing;
}

/** A chain that answers from what it was given to read. */
export async function reader(service: Service, text: string, source: string): Promise<Drawing> {
  const drawing = new Drawing(service);
  const model = await drawing.card('chatScripted', { fallback: 'It is in the text.' });
  const loader = await drawing.card('plainText', { text, metadata: { source } });
  const embeddings = await drawing.card('hashingEmbeddings');
  const store = await drawing.card('memoryVectorStore', { topK: '1' });
  const chain = await drawing.card('retrievalQAChain', { returnSourceDocuments: true });
  drawing.wire(loader, store, 'document');
  drawing.wire(embeddings, store, 'embeddings');
  drawing.wire(store, chain, 'vectorStoreRetriever');
  drawing.wire(model, chain, 'model');
  return drawing;
}

export interface MadeFlow {
  id: string;
}

/** Makes a flow whose draft is this canvas; `publish` puts it Live. */
export async function makeFlow(
  service: Service,
  name: string,
  drawing: Drawing,
  { publish = true, ...settings }: { publish?: boolean } & Json = {},
): Promise<string> {
  const { id } = await service.call<MadeFlow>('POST', '/chatflows', {
    name,
    type: 'CHATFLOW',
    flowData: drawing.text(),
    ...settings,
  });
  if (publish) await service.call('POST', `/flow-drafts/${id}/publish`, {});
  return id;
}

export const saveDraft = (service: Service, id: string, drawing: Drawing): Promise<unknown> =>
  service.call('PUT', `/flow-drafts/${id}`, { flowData: drawing.text() });

/** Many copies of one small canvas, side by side. */
export function many(flowData: string, count: number): string {
  const one = JSON.parse(flowData) as {
    nodes: { id: string; position: { x: number; y: number } }[];
    edges: object[];
  };
  const nodes: object[] = [];
  const edges: object[] = [];
  const copies = Math.ceil(count / one.nodes.length);
  for (let at = 0; at < copies; at += 1) {
    const renamed = JSON.parse(JSON.stringify(one).replaceAll('_0', `_${at}`)) as typeof one;
    for (const node of renamed.nodes)
      nodes.push({
        ...node,
        position: { x: node.position.x + (at % 10) * 900, y: node.position.y + Math.floor(at / 10) * 700 },
      });
    edges.push(...renamed.edges);
  }
  return JSON.stringify({ nodes, edges });
}
