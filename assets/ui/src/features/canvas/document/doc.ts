import type { Schemas } from '../../../api/models';
import {
  emptyFlow,
  parseFlow,
  writeFlow,
  type FlowEdge,
  type FlowNode,
  type FlowOrigin,
  type Point,
} from '../../../core/flowdata';
import { isNote, isObject, type Json } from '../../../core/nodes';

/** A card of the registry, as the service describes it. */
export type Definition = Schemas['Card'];
export type Param = Schemas['CardParam'];

/** A canvas being edited. Nothing in it is ever changed in place: history keeps what was there. */
export interface Doc {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly origin: FlowOrigin;
}

/** Cards of a chat canvas are wired by what they give and take; steps of an agentflow follow one another. */
export type CanvasKind = 'cards' | 'steps';

export const emptyDoc = (): Doc => emptyFlow();

export function readDoc(flowData: string): Doc | null {
  const parsed = parseFlow(flowData);
  return parsed.ok ? parsed.flow : null;
}

export const writeDoc = (doc: Doc): string => writeFlow(doc.nodes, doc.edges, doc.origin);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const nodeIn = (doc: Doc, id: string): FlowNode | undefined =>
  doc.nodes.find((node) => node.id === id);
export const nameOf = (node: FlowNode): string => text(node.data.name);
export const inputsOf = (node: FlowNode): Json => (isObject(node.data.inputs) ? node.data.inputs : {});

export const isStep = (node: FlowNode): boolean => node.type === 'agentFlow' || node.type === 'iteration';

/** Whether steps run inside of it, once for each item. */
export const isContainer = (node: FlowNode): boolean => node.type === 'iteration';

/** Puts something else in the place of a node; the same document when nothing changed. */
export function withNode(doc: Doc, id: string, change: (node: FlowNode) => FlowNode): Doc {
  let changed = false;
  const nodes = doc.nodes.map((node) => {
    if (node.id !== id) return node;
    const next = change(node);
    changed ||= next !== node;
    return next;
  });
  return changed ? { ...doc, nodes } : doc;
}

export const withData = (node: FlowNode, change: Json): FlowNode => ({
  ...node,
  data: { ...node.data, ...change },
});

/**
 * The first free id of a card: `<name>_<n>`. What the stored canvas had stays taken, so that a new node does not get
 * the sizes of one that was deleted.
 */
export function freshId(doc: Doc, name: string, taken: ReadonlySet<string> = new Set()): string {
  const known = new Set(doc.nodes.map((node) => node.id));
  for (let at = 0; ; at += 1) {
    const id = `${name}_${at}`;
    if (!known.has(id) && !doc.origin.nodes.has(id) && !taken.has(id)) return id;
  }
}

/** All nodes that lie inside of these, themselves included. */
export function withChildren(doc: Doc, ids: Iterable<string>): Set<string> {
  const all = new Set(ids);
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const node of doc.nodes) if (node.parentId && all.has(node.parentId)) all.add(node.id);
  }
  return all;
}

/** Every box that a node lies in, from the inside out. */
function boxesOf(doc: Doc, node: FlowNode): FlowNode[] {
  const found: FlowNode[] = [];
  for (let id = node.parentId; id !== undefined;) {
    const box = nodeIn(doc, id);
    if (!box || found.includes(box)) break;
    found.push(box);
    id = box.parentId;
  }
  return found;
}

/** These nodes but for those that lie in another of them: a box takes along what lies in it. */
export const outermost = (doc: Doc, ids: ReadonlySet<string>): FlowNode[] =>
  doc.nodes.filter((node) => ids.has(node.id) && !boxesOf(doc, node).some((box) => ids.has(box.id)));

/** Where a node lies on the whole canvas; its position is counted from the box around it. */
export const placeOnCanvas = (doc: Doc, node: FlowNode): Point =>
  boxesOf(doc, node).reduce((at, box) => ({ x: at.x + box.position.x, y: at.y + box.position.y }), {
    x: node.position.x,
    y: node.position.y,
  });

/** The rows of an input, however they are kept. */
export function rowsOf(value: unknown): Json[] {
  if (typeof value !== 'string') return objects(value);
  try {
    return objects(JSON.parse(value || '[]'));
  } catch {
    return [];
  }
}

export const rowsOfInput = (node: FlowNode, name: string): Json[] => rowsOf(inputsOf(node)[name]);

/** An object but for these keys. */
export function without<Of extends object>(of: Of, ...names: string[]): Of {
  return Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name))) as Of;
}

/** How large a node was drawn, as far as the canvas says. */
export function sizeOf(origin: FlowOrigin, node: FlowNode): { width?: number; height?: number } {
  const taken = origin.nodes.get(node.id)?.values;
  const style = isObject(node.style) ? node.style : {};
  const number = (name: 'width' | 'height'): number | undefined =>
    [node[name], style[name], taken?.get(name)].find(
      (one): one is number => typeof one === 'number' && one > 0,
    );
  // What a note measured elsewhere says nothing here; what somebody chose for it is in its style.
  const chosen = typeof style.height === 'number' ? style.height : undefined;
  const [width, height] = [number('width'), isNote(node) ? chosen : number('height')];
  return { ...(width ? { width } : {}), ...(height ? { height } : {}) };
}
