/**
 * Reads and writes stored canvases without loss. The editor's library reads sizes and drag marks of the older
 * format as instructions, so they are taken off on load and put back on save.
 */

export interface Point {
  x: number;
  y: number;
}

export interface FlowNode {
  id: string;
  type?: string;
  position: Point;
  data: Record<string, unknown>;
  /** The older format's `parentNode`. */
  parentId?: string;
  width?: number;
  height?: number;
  [key: string]: unknown;
}

export interface FlowEdge {
  id: string;
  source: string;
  target: string;
  sourceHandle?: string | null;
  targetHandle?: string | null;
  type?: string;
  [key: string]: unknown;
}

/** What the editor does not see of a stored canvas. */
export interface FlowOrigin {
  /** The text as it was stored. */
  text: string;
  /** Top-level keys with their values, in their order; nodes and edges stand for their place. */
  top: [string, unknown][];
  /** Per node: its keys in their order, and what was taken off. */
  nodes: Map<string, OmittedFields>;
  edges: Map<string, OmittedFields>;
}

interface OmittedFields {
  order: string[];
  values: Map<string, unknown>;
  position?: Point;
}

export interface LoadedFlow {
  nodes: FlowNode[];
  edges: FlowEdge[];
  origin: FlowOrigin;
}

export type FlowProblem =
  'not-json' | 'not-object' | 'no-nodes' | 'no-edges' | 'bad-node' | 'bad-edge' | 'same-id';

export type ParsedFlow = { ok: true; flow: LoadedFlow } | { ok: false; problem: FlowProblem };

const NODE_MARKS = [
  'width',
  'height',
  'positionAbsolute',
  'selected',
  'dragging',
  'resizing',
  'measured',
] as const;
const EDGE_MARKS = ['selected'] as const;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPoint = (value: unknown): value is Point & Json =>
  isObject(value) && Number.isFinite(value.x) && Number.isFinite(value.y);

/** The guard for everything that claims to be a canvas: stored text, imported files, the clipboard. */
export function parseFlow(text: string): ParsedFlow {
  let read: unknown;
  try {
    read = text.trim() === '' ? { nodes: [], edges: [] } : JSON.parse(text);
  } catch {
    return { ok: false, problem: 'not-json' };
  }
  return readFlow(read, text);
}

/** As `parseFlow`, for what is an object already. */
export function readFlow(read: unknown, text = ''): ParsedFlow {
  const fail = (problem: FlowProblem): ParsedFlow => ({ ok: false, problem });
  if (!isObject(read)) return fail('not-object');
  if (!Array.isArray(read.nodes)) return fail('no-nodes');
  if (!Array.isArray(read.edges)) return fail('no-edges');
  const origin: FlowOrigin = { text, top: Object.entries(read), nodes: new Map(), edges: new Map() };
  const nodes: FlowNode[] = [];
  for (const stored of read.nodes as unknown[]) {
    if (!isObject(stored) || typeof stored.id !== 'string' || !isPoint(stored.position))
      return fail('bad-node');
    if (stored.data !== undefined && !isObject(stored.data)) return fail('bad-node');
    if (origin.nodes.has(stored.id)) return fail('same-id');
    nodes.push(loadNode(stored as Json & { id: string; position: Point }, origin));
  }
  const edges: FlowEdge[] = [];
  for (const stored of read.edges as unknown[]) {
    if (!isObject(stored) || typeof stored.source !== 'string' || typeof stored.target !== 'string')
      return fail('bad-edge');
    const id = typeof stored.id === 'string' ? stored.id : '';
    if (!id) return fail('bad-edge');
    if (origin.edges.has(id)) return fail('same-id');
    edges.push(loadEdge(stored, id, origin));
  }
  return { ok: true, flow: { nodes, edges, origin } };
}

function omitFields(stored: Json, marks: readonly string[]): { left: Json; omitted: OmittedFields } {
  const values = new Map<string, unknown>();
  const left = Object.entries(stored).filter(([key, value]) => {
    if (!marks.includes(key)) return true;
    values.set(key, value);
    return false;
  });
  return { left: Object.fromEntries(left), omitted: { order: Object.keys(stored), values } };
}

function loadNode(stored: Json & { id: string; position: Point }, origin: FlowOrigin): FlowNode {
  const { left, omitted } = omitFields(stored, NODE_MARKS);
  omitted.position = { x: stored.position.x, y: stored.position.y };
  origin.nodes.set(stored.id, omitted);
  const node = left as FlowNode;
  if (typeof left.parentNode === 'string' && left.parentNode !== '') {
    node.parentId = left.parentNode;
    delete node.parentNode;
  }
  node.data = (left.data as Json | undefined) ?? {};
  return node;
}

function loadEdge(stored: Json, id: string, origin: FlowOrigin): FlowEdge {
  const { left, omitted } = omitFields(stored, EDGE_MARKS);
  origin.edges.set(id, omitted);
  return left as FlowEdge;
}

/** An empty canvas. */
export function emptyFlow(): LoadedFlow {
  return {
    nodes: [],
    edges: [],
    origin: {
      text: '',
      top: [
        ['nodes', []],
        ['edges', []],
      ],
      nodes: new Map(),
      edges: new Map(),
    },
  };
}

/** The canvas as it is stored. Without edits it is the very text that was loaded. */
export function writeFlow(
  nodes: readonly FlowNode[],
  edges: readonly FlowEdge[],
  origin: FlowOrigin,
): string {
  const written: Json = Object.fromEntries(
    origin.top.map(([key, value]) => {
      if (key === 'nodes') return [key, nodes.map((node) => storeNode(node, origin))];
      if (key === 'edges') return [key, edges.map((edge) => storeEdge(edge, origin))];
      return [key, value];
    }),
  );
  const text = JSON.stringify(written);
  return origin.text && sameJson(text, origin.text) ? origin.text : text;
}

/** Stored text may be spaced in its own way: then it is compared by what it says. */
function sameJson(written: string, stored: string): boolean {
  return written === stored || written === JSON.stringify(JSON.parse(stored));
}

function storeNode(node: FlowNode, origin: FlowOrigin): Json {
  const omitted = origin.nodes.get(node.id);
  const now = new Map<string, unknown>(Object.entries(node));
  for (const mark of NODE_MARKS) if (mark !== 'width' && mark !== 'height') now.delete(mark);
  if (node.parentId !== undefined) {
    now.delete('parentId');
    now.set('parentNode', node.parentId);
  }
  if (!omitted) return Object.fromEntries(now);
  for (const [mark, value] of omitted.values) {
    if (!now.has(mark))
      now.set(mark, mark === 'positionAbsolute' ? moved(value, omitted.position, node.position) : value);
  }
  if (!omitted.order.includes('data') && Object.keys(node.data).length === 0) now.delete('data');
  return ordered(now, omitted.order);
}

/** Where a node is on the whole canvas follows where it was moved to. */
function moved(absolute: unknown, from: Point | undefined, to: Point): unknown {
  if (!isPoint(absolute) || !from || (from.x === to.x && from.y === to.y)) return absolute;
  return { ...absolute, x: absolute.x + to.x - from.x, y: absolute.y + to.y - from.y };
}

function storeEdge(edge: FlowEdge, origin: FlowOrigin): Json {
  const omitted = origin.edges.get(edge.id);
  const now = new Map<string, unknown>(Object.entries(edge));
  for (const mark of EDGE_MARKS) now.delete(mark);
  if (!omitted) return Object.fromEntries(now);
  for (const [mark, value] of omitted.values) now.set(mark, value);
  return ordered(now, omitted.order);
}

function ordered(now: Map<string, unknown>, order: readonly string[]): Json {
  const known = order.filter((key) => now.has(key)).map((key): [string, unknown] => [key, now.get(key)]);
  const more = [...now].filter(([key]) => !order.includes(key));
  return Object.fromEntries([...known, ...more]);
}
