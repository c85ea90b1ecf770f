import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A service of its own for one test file, with an owner and flows made through the API. */
export interface Service {
  baseUrl: string;
  apiKey: string;
  ownerEmail: string;
  ownerPassword: string;
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  stop: () => void;
}

/** The program under test: `FLOWKEEP_BIN`, else the debug build of this checkout. */
const program =
  process.env.FLOWKEEP_BIN ?? new URL('../../../target/debug/flowkeep', import.meta.url).pathname;

export async function serve(): Promise<Service> {
  const child: ChildProcess = spawn(program, ['serve', '--throwaway', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!child.stdout) throw new Error('The service has no output.');
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((done, failed) => {
    lines.once('line', done);
    child.once('exit', () => failed(new Error('The service did not start.')));
  });
  const started = JSON.parse(line) as Pick<Service, 'baseUrl' | 'apiKey' | 'ownerEmail' | 'ownerPassword'>;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${started.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${started.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return { ...started, call, stop: () => void child.kill('SIGTERM') };
}

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
