/** What differs between two canvases, told with the values: the page's side of the service's own comparison. */

import { parseFlow, type FlowEdge, type FlowNode } from './flowdata';

export interface NodeRef {
  id: string;
  label: string;
}

export interface FieldChange {
  name: string;
  label: string;
  /** Null when the value was not there, or is not for showing. */
  before: string | null;
  after: string | null;
}

export interface NodeChange extends NodeRef {
  fields: FieldChange[];
}

export interface EdgeChange {
  kind: 'added' | 'removed';
  from: string;
  to: string;
  /** The input that the connection ends in. */
  input: string;
}

export interface CanvasDiff {
  added: NodeRef[];
  removed: NodeRef[];
  changed: NodeChange[];
  moved: NodeRef[];
  edges: EdgeChange[];
}

type Json = Record<string, unknown>;

/** Keys of a node's data that describe its card; alone they are still a change somebody made. */
const DESCRIPTIONS = new Set([
  'baseClasses',
  'category',
  'color',
  'description',
  'hideInput',
  'hideOutput',
  'icon',
  'id',
  'inputAnchors',
  'inputParams',
  'outputAnchors',
  'tags',
  'type',
]);
/** What an editor leaves behind while it draws. */
const NOISE = new Set(['data', 'position', 'parentId', 'selected', 'dragging', 'resizing', 'measured']);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function labelOf(node: FlowNode): string {
  return text(node.data.label) || text(node.data.name) || node.id;
}

interface CanvasSide {
  nodes: Map<string, FlowNode>;
  edges: FlowEdge[];
}

function side(flowData: string | null): CanvasSide {
  const read = flowData ? parseFlow(flowData) : null;
  if (!read?.ok) return { nodes: new Map(), edges: [] };
  return { nodes: new Map(read.flow.nodes.map((node) => [node.id, node])), edges: read.flow.edges };
}

/** Compares two canvases; one that is missing or unreadable counts as empty. */
export function diffCanvas(before: string | null, after: string | null): CanvasDiff {
  const [old, now] = [side(before), side(after)];
  const stays = (node: FlowNode, others: Map<string, FlowNode>): boolean => {
    const other = others.get(node.id);
    return other !== undefined && other.data.name === node.data.name;
  };
  const ref = (node: FlowNode): NodeRef => ({ id: node.id, label: labelOf(node) });
  const diff: CanvasDiff = {
    added: [...now.nodes.values()].filter((node) => !stays(node, old.nodes)).map(ref),
    removed: [...old.nodes.values()].filter((node) => !stays(node, now.nodes)).map(ref),
    changed: [],
    moved: [],
    edges: diffEdges(old, now),
  };
  for (const node of now.nodes.values()) {
    const earlier = old.nodes.get(node.id);
    if (!earlier || !stays(node, old.nodes)) continue;
    if (earlier.position.x !== node.position.x || earlier.position.y !== node.position.y)
      diff.moved.push(ref(node));
    const fields = diffNode([earlier, old], [node, now]);
    if (fields.length > 0) diff.changed.push({ ...ref(node), fields });
  }
  return diff;
}

export function isEmpty(diff: CanvasDiff): boolean {
  return diff.added.length + diff.removed.length + diff.changed.length + diff.moved.length === 0
    ? diff.edges.length === 0
    : false;
}

/** How many things changed, for a line that sums up. */
export function countOf(diff: CanvasDiff): number {
  const moved = diff.moved.filter((node) => !diff.changed.some((one) => one.id === node.id));
  return diff.added.length + diff.removed.length + diff.changed.length + moved.length + diff.edges.length;
}

/** A node and the canvas it is on. */
type NodeOfSide = [FlowNode, CanvasSide];

function diffNode(old: NodeOfSide, now: NodeOfSide): FieldChange[] {
  const [[before], [after]] = [old, now];
  const inputs = differing(before.data.inputs, after.data.inputs).map((name) => inputChange(name, old, now));
  const data = differing(before.data, after.data).filter((name) => name !== 'inputs' && name !== 'selected');
  const own = data.filter((name) => !DESCRIPTIONS.has(name));
  const plain = (name: string, from: unknown, to: unknown): FieldChange => ({
    name,
    label: name,
    // The id of a credential says nothing to people.
    before: name === 'credential' ? null : valueText(from),
    after: name === 'credential' ? null : valueText(to),
  });
  const fields = [
    ...inputs,
    ...own.map((name) => plain(name, before.data[name], after.data[name])),
    ...differing(before, after)
      .filter((name) => !NOISE.has(name))
      .map((name) => plain(name, before[name], after[name])),
  ];
  return fields.length > 0 ? fields : data.map((name) => ({ name, label: name, before: null, after: null }));
}

function inputChange(name: string, before: NodeOfSide, after: NodeOfSide): FieldChange {
  const input = inputOf(after[0], name) ?? inputOf(before[0], name);
  const secret = input?.type === 'password';
  const value = ([node, on]: NodeOfSide): string | null =>
    valueText(isObject(node.data.inputs) ? named(node.data.inputs[name], on) : undefined);
  return {
    name,
    label: text(input?.label) || name,
    before: secret ? null : value(before),
    after: secret ? null : value(after),
  };
}

const REFERENCE = /^\{\{([\w-]+)\.data\.instance\}\}$/;

/** An input that is connected holds references: people know the nodes by their labels. */
function named(value: unknown, on: CanvasSide): unknown {
  const label = (one: unknown): string | null => {
    const node = typeof one === 'string' ? on.nodes.get(REFERENCE.exec(one)?.[1] ?? '') : undefined;
    return node ? labelOf(node) : null;
  };
  if (!Array.isArray(value)) return label(value) ?? value;
  const labels = value.map(label);
  return labels.every((one) => one !== null) ? labels.join(', ') : value;
}

/** What a node says of one of its inputs. */
export function inputOf(node: FlowNode, name: string): Json | undefined {
  for (const list of [node.data.inputParams, node.data.inputAnchors]) {
    const found: unknown = Array.isArray(list)
      ? list.find((one: unknown) => isObject(one) && one.name === name)
      : undefined;
    if (isObject(found)) return found;
  }
  return undefined;
}

/** A value as text: JSON text is laid out, so that its lines can be compared. */
function valueText(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  if (/^\s*[[{]/.test(value)) {
    try {
      return JSON.stringify(JSON.parse(value), null, 2);
    } catch {
      return value;
    }
  }
  return value;
}

function differing(before: unknown, after: unknown): string[] {
  const [from, to] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return [...new Set([...Object.keys(to), ...Object.keys(from)])].filter(
    (name) => !same(from[name], to[name]),
  );
}

/** Equal as JSON, whatever the order of keys. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => same(one, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => same(a[key], b[key]));
}

function diffEdges(old: CanvasSide, now: CanvasSide): EdgeChange[] {
  const ends = (edge: FlowEdge): string =>
    JSON.stringify([edge.source, edge.sourceHandle ?? '', edge.target, edge.targetHandle ?? '']);
  const only = (edges: FlowEdge[], others: FlowEdge[]): FlowEdge[] => {
    const there = new Set(others.map(ends));
    return edges.filter((edge) => !there.has(ends(edge)));
  };
  const change = (kind: EdgeChange['kind'], edge: FlowEdge, on: CanvasSide): EdgeChange => {
    const name = (id: string): string => {
      const node = on.nodes.get(id);
      return node ? labelOf(node) : id;
    };
    const handle = text(edge.targetHandle);
    const input = handle.startsWith(`${edge.target}-input-`)
      ? (handle.slice(edge.target.length + 7).split('-')[0] ?? '')
      : '';
    const target = on.nodes.get(edge.target);
    const label = target && input ? text(inputOf(target, input)?.label) : '';
    return { kind, from: name(edge.source), to: name(edge.target), input: label };
  };
  return [
    ...only(now.edges, old.edges).map((edge) => change('added', edge, now)),
    ...only(old.edges, now.edges).map((edge) => change('removed', edge, old)),
  ];
}
