/** Reads what a stored node says of itself: its names, places for connections, inputs. */

import { parseFlow, type FlowEdge, type FlowNode } from './flowdata';

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A card that was picked off the canvas, and how it is set; its credential is one of the settings. */
export interface PickedCard {
  name: string;
  config: Json;
}

/** What draws the settings of a card that stands on no canvas. */
export interface CardFields {
  card: string;
  values: Json;
  onChange: (values: Json) => void;
  readOnly?: boolean;
  /** Inputs that are asked for elsewhere. */
  without?: readonly string[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const nodeLabel = (node: FlowNode): string =>
  text(node.data.label) || text(node.data.name) || text(node.type) || node.id;

export const cardName = (node: FlowNode): string => text(node.data.name);

/** The words of a note; empty for other nodes. */
export function noteText(node: FlowNode): string {
  return isObject(node.data.inputs) ? text(node.data.inputs.note) : '';
}

export const isNote = (node: FlowNode): boolean =>
  node.type === 'stickyNote' || /^stickyNote/.test(cardName(node));

/** Whether a stored canvas has cards: without any it answers nobody. */
export function hasCards(flowData: string): boolean {
  const read = parseFlow(flowData);
  return read.ok && !read.flow.nodes.every(isNote);
}

export interface Port {
  id: string;
  label: string;
  /** A connection names it, and the node has no such place. */
  gone?: boolean;
}

export interface Ports {
  inputs: Port[];
  outputs: Port[];
}

/**
 * Whether a text of a card can be told by another card: what is connected here comes before it, and is named in the
 * text. Nothing on the canvas of a team gives texts.
 */
export function takesText(param: Json, category: unknown): boolean {
  const { type, acceptVariable, additionalParams } = param;
  const wanted = type === 'json' || type === 'string';
  return wanted && acceptVariable === true && additionalParams !== true && category !== 'Harness';
}

/** Where connections meet a node. What edges name and the node does not is added, so that no edge is lost. */
export function portsOf(node: FlowNode, edges: readonly FlowEdge[]): Ports {
  const port = (one: Json): Port => ({ id: text(one.id), label: text(one.label) || text(one.name) });
  const anchors = list(node.data.outputAnchors).flatMap((anchor) => {
    const options = list(anchor.options);
    return options.length > 0 ? options : [anchor];
  });
  const used = (end: 'source' | 'target'): string[] =>
    edges.filter((edge) => edge[end] === node.id).map((edge) => text(edge[`${end}Handle`]));
  const incoming = used('target');
  const isStep = node.type === 'agentFlow' || node.type === 'iteration';
  const wired = list(node.data.inputParams).filter(
    (param) => incoming.includes(text(param.id)) || (!isStep && takesText(param, node.data.category)),
  );
  const inputs = [...list(node.data.inputAnchors), ...wired].map(port).filter((one) => one.id);
  const chosen = isObject(node.data.outputs) ? text(node.data.outputs.output) : '';
  const leaving = used('source');
  const offered = anchors.filter(
    (one) => anchors.length < 2 || isStep || text(one.name) === chosen || leaving.includes(text(one.id)),
  );
  const outputs = offered.map(port).filter((one) => one.id);
  const add = (ports: Port[], ids: string[], side: 'input' | 'output'): Port[] => {
    const missing = [...new Set(ids)].filter((id) => !ports.some((one) => one.id === id));
    return [...ports, ...missing.map((id) => unlistedPort(node, id, side, anchors))];
  };
  return { inputs: add(inputs, incoming, 'input'), outputs: add(outputs, leaving, 'output') };
}

/**
 * A place that only a connection names. Editors before this one did not list every place by its id: what a handle says
 * of its own is enough there. A node that lists places, and not this one, has lost it.
 */
function unlistedPort(node: FlowNode, id: string, side: 'input' | 'output', outputs: readonly Json[]): Port {
  const { inputAnchors, inputParams } = node.data;
  const listed = side === 'input' ? [...list(inputAnchors), ...list(inputParams)] : outputs;
  const name = nameInHandle(node.id, id, side);
  const known = listed.find((one) => text(one.name) === name);
  if (known) return { id, label: side === 'input' ? text(known.label) || name : '' };
  // A step is led to by its own id. What says nothing of its places may have them all.
  if (id === node.id || listed.length === 0) return { id, label: '' };
  return { id, label: name || id, gone: true };
}

/** The name in `<node>-input-<name>-<types>`; empty when a handle has another form. */
function nameInHandle(node: string, handle: string, side: 'input' | 'output'): string {
  const start = `${node}-${side}-`;
  return handle.startsWith(start) ? (handle.slice(start.length).split('-')[0] ?? '') : '';
}

export interface InputRow {
  name: string;
  label: string;
  type: string;
  /** Null when nothing is set. */
  value: string | null;
  /** The value is kept from view. */
  secret: boolean;
  /** Laid out on several lines, in letters of one width. */
  block: boolean;
  /** Nodes connected here. */
  from: string[];
}

/** All inputs of a node in the order of its card; values the card does not describe come last. */
export function inputRows(node: FlowNode, edges: readonly FlowEdge[]): InputRow[] {
  const inputs = isObject(node.data.inputs) ? node.data.inputs : {};
  const described = [...list(node.data.inputAnchors), ...list(node.data.inputParams)];
  const names = new Set(described.map((one) => text(one.name)));
  const rest = Object.keys(inputs)
    .filter((name) => !names.has(name))
    .map((name): Json => ({ name, label: name }));
  return [...described, ...rest].map((one) => {
    const name = text(one.name);
    const type = text(one.type);
    const from = edges.filter((edge) => edge.target === node.id && edge.targetHandle === one.id);
    const value = name === 'credential' ? node.data.credential : inputs[name];
    const shown = from.length > 0 || isWire(value) ? null : valueText(value);
    return {
      name,
      label: text(one.label) || name,
      type,
      value: shown,
      secret: type === 'password' && shown !== null,
      block: shown !== null && (type === 'code' || type === 'json' || shown.includes('\n')),
      from: from.map((edge) => edge.source),
    };
  });
}

const isWire = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0 && value.every(isWire);
  return typeof value === 'string' && /^\{\{[^{}]+\.data\.instance\}\}$/.test(value);
};

function valueText(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (Array.isArray(value) && value.length === 0) return null;
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

export type Direction = 'left' | 'right' | 'up' | 'down';

interface PlacedNode {
  id: string;
  x: number;
  y: number;
}

/** The node that lies next in a direction; null when there is none. */
export function nextTo(from: PlacedNode, all: readonly PlacedNode[], direction: Direction): string | null {
  const ahead = (one: PlacedNode): [number, number] => {
    const [dx, dy] = [one.x - from.x, one.y - from.y];
    if (direction === 'left') return [-dx, Math.abs(dy)];
    if (direction === 'right') return [dx, Math.abs(dy)];
    return direction === 'up' ? [-dy, Math.abs(dx)] : [dy, Math.abs(dx)];
  };
  let best: { id: string; far: number } | null = null;
  for (const one of all) {
    if (one.id === from.id) continue;
    const [along, aside] = ahead(one);
    if (along <= 1) continue;
    const far = along + aside * 2;
    if (!best || far < best.far) best = { id: one.id, far };
  }
  return best?.id ?? null;
}

/** Reading order: from the start side to the end, column by column. */
export function inOrder<Node extends FlowNode>(nodes: readonly Node[]): Node[] {
  return [...nodes].sort((a, b) => a.position.x - b.position.x || a.position.y - b.position.y);
}
