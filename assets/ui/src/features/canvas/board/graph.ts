import type { Edge, Node } from '@xyflow/react';
import { list } from '../../../core/format';
import { parseFlow, type FlowEdge, type FlowNode } from '../../../core/flowdata';
import { cardName, isNote, isObject, nodeLabel, portsOf, type Port, type Ports } from '../../../core/nodes';
import { takesNothing } from '../document/anchors';
import { isStep, rowsOfInput, sizeOf, type Doc } from '../document/doc';
import { isGroup, membersOf } from '../document/groups';
import { lostWires } from '../document/lost';
import { loopTarget } from '../document/references';
import { t } from '../words';

/** What a drawn node knows: its stored self, and where edges meet it. */
export type CardData = {
  node: FlowNode;
  ports: Ports;
  size: { width?: number; height?: number };
  /** A Loop goes back to it. */
  looped: boolean;
  /** Of a group: its cards. */
  members: readonly string[];
  /** Where connections lead, for who does not see the lines. */
  links: string;
};
export type CardNode = Node<CardData, 'card' | 'step' | 'note' | 'area' | 'frame'>;
/** `lost`: why nothing passes through it; empty for what is whole. */
export type WireEdge = Edge<{ label: string; loop: boolean; lost: string }, 'wire'>;

export interface Graph {
  flow: Doc;
  nodes: CardNode[];
  edges: WireEdge[];
}

/** Where the line of a Loop leaves and arrives. No stored edge names these. */
export const LOOP_OUT = 'loop-out';
export const LOOP_IN = 'loop-in';

/** Reads a stored canvas for drawing; null when it cannot be read. */
export function graphOf(flowData: string): Graph | null {
  const parsed = parseFlow(flowData);
  return parsed.ok ? drawingOf(parsed.flow) : null;
}

const none: readonly string[] = [];

/** What was drawn of a node, to be drawn again while nothing about it changed. */
const drawn = new WeakMap<FlowNode, { of: string; node: CardNode }>();

/** As it was drawn of a connection, or of the Loop that it stands for. */
const wires = new WeakMap<FlowEdge | FlowNode, { of: string; wire: WireEdge }>();

/** The very line that was drawn before, while it would be the same. */
function reuseWire(key: FlowEdge | FlowNode, wire: WireEdge): WireEdge {
  const of = JSON.stringify(wire);
  const before = wires.get(key);
  if (before?.of === of) return before.wire;
  wires.set(key, { of, wire });
  return wire;
}

/** A document as the library draws it. */
export function drawingOf(flow: Doc): Graph {
  const known = new Map(flow.nodes.map((node) => [node.id, node]));
  const touching = new Map<string, FlowEdge[]>();
  for (const edge of flow.edges)
    for (const id of new Set([edge.source, edge.target]))
      touching.set(id, [...(touching.get(id) ?? []), edge]);
  const loops = flow.nodes.flatMap((node) => {
    const to = loopTarget(flow, node);
    return to ? [{ node, to }] : [];
  });
  const looped = new Set(loops.map(({ to }) => to));
  const name = (id: string): string => nodeLabel(known.get(id) ?? { id, position: { x: 0, y: 0 }, data: {} });
  // The library wants parents before what lies in them.
  const parents = flow.nodes.filter((node) => !node.parentId);
  const children = flow.nodes.filter((node) => node.parentId);
  const nodes = [...parents, ...children].map((node) =>
    cardOf(node, {
      ports: stepPorts(node, portsOf(node, touching.get(node.id) ?? [])),
      size: sizeOf(flow.origin, node),
      looped: looped.has(node.id),
      members: isGroup(node) ? membersOf(flow, node).map((one) => one.id) : none,
      links: linksOf(node.id, touching.get(node.id) ?? [], name),
      parent: node.parentId && known.has(node.parentId) ? node.parentId : null,
    }),
  );
  const lost = new Map(lostWires(flow).map(({ edge, text }) => [edge, text]));
  const edges = flow.edges
    .filter((edge) => known.has(edge.source) && known.has(edge.target))
    .map((edge) => reuseWire(edge, wireOf(edge, known, name, lost.get(edge.id) ?? '')));
  const loopWires = loops.map(({ node, to }) => reuseWire(node, loopWire(node.id, to, name)));
  return { flow, nodes, edges: [...edges, ...loopWires] };
}

function linksOf(id: string, edges: readonly FlowEdge[], name: (id: string) => string): string {
  const names = (ids: string[]): string => list([...new Set(ids)].map(name));
  const from = names(edges.filter((edge) => edge.target === id).map((edge) => edge.source));
  const to = names(edges.filter((edge) => edge.source === id).map((edge) => edge.target));
  return [from && t('canvas.from', { names: from }), to && t('canvas.to', { names: to })]
    .filter(Boolean)
    .join('. ');
}

interface Drawn extends Omit<CardData, 'node'> {
  parent: string | null;
}

function cardOf(node: FlowNode, { parent, ...rest }: Drawn): CardNode {
  const of = JSON.stringify([parent, rest]);
  const before = drawn.get(node);
  if (before?.of === of) return before.node;
  const type = typeOf(node);
  const { size } = rest;
  const made: CardNode = {
    id: node.id,
    type,
    position: node.position,
    data: { node, ...rest },
    ...(parent
      ? { parentId: parent, ...(node.extent === 'parent' ? { extent: 'parent' as const } : {}) }
      : {}),
    ...(type === 'area' ? { style: { width: size.width ?? 400, height: size.height ?? 240 } } : {}),
    // A frame is drawn around its cards, wherever its own node lies: only its name is taken hold of.
    ...(type === 'frame' ? { style: { pointerEvents: 'none' as const } } : {}),
    zIndex: type === 'frame' ? -1 : type === 'area' || type === 'note' ? 0 : 1,
  };
  drawn.set(node, { of, node: made });
  return made;
}

/** Every step but Start can be led to, before anything does; what its outputs mean is said by its rows. */
function stepPorts(node: FlowNode, ports: Ports): Ports {
  if (!isStep(node)) return ports;
  const own = { id: node.id, label: '' };
  const inputs =
    takesNothing(cardName(node)) || ports.inputs.some((one) => one.id === node.id)
      ? ports.inputs
      : [own, ...ports.inputs];
  const outputs =
    ports.outputs.length > 1
      ? ports.outputs.map((port) => ({ ...port, label: outputName(node, port) }))
      : ports.outputs;
  return { inputs, outputs };
}

function outputName(node: FlowNode, port: Port): string {
  const output = port.id.replace(`${node.id}-output-`, '');
  const at = /^\d+$/.test(output) ? Number(output) : null;
  const name = cardName(node);
  if (output === 'error') return t('canvas.out.error');
  if (port.gone) return port.label;
  if (at === null) return '';
  if (name === 'humanInputAgentflow') return t(at === 0 ? 'canvas.out.proceed' : 'canvas.out.reject');
  if (name === 'conditionAgentflow') {
    const rows = rowsOfInput(node, 'conditions').length;
    return at === rows ? t('canvas.out.else') : t('canvas.out.condition', { number: at + 1 });
  }
  if (name === 'conditionAgentAgentflow') {
    const scenario = rowsOfInput(node, 'conditionAgentScenarios')[at]?.scenario;
    return typeof scenario === 'string' && scenario
      ? scenario
      : t('canvas.out.condition', { number: at + 1 });
  }
  return port.label;
}

function typeOf(node: FlowNode): NonNullable<CardNode['type']> {
  if (isGroup(node)) return 'frame';
  if (isNote(node)) return 'note';
  if (node.type === 'iteration') return 'area';
  return node.type === 'agentFlow' ? 'step' : 'card';
}

function wireOf(
  edge: FlowEdge,
  known: ReadonlyMap<string, FlowNode>,
  name: (id: string) => string,
  lost: string,
): WireEdge {
  const source = known.get(edge.source);
  const several =
    source !== undefined && isStep(source) && /-output-(\d+|error)$/.test(edge.sourceHandle ?? '');
  const data = isObject(edge.data) ? edge.data : {};
  const label = [edge.label, data.edgeLabel, data.label].find(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  const output = several ? outputName(source, { id: edge.sourceHandle ?? '', label: label ?? '' }) : '';
  return {
    id: edge.id,
    type: 'wire',
    source: edge.source,
    target: edge.target,
    sourceHandle: edge.sourceHandle ?? '',
    targetHandle: edge.targetHandle ?? '',
    // An output that the card names itself is not named again beside its line.
    data: { label: output ? '' : (label ?? ''), loop: false, lost },
    focusable: false,
    ariaLabel: [t('canvas.edge', { from: name(edge.source), to: name(edge.target) }), lost]
      .filter(Boolean)
      .join('. '),
  };
}

const loopWire = (from: string, to: string, name: (id: string) => string): WireEdge => ({
  id: `loop ${from}`,
  type: 'wire',
  source: from,
  target: to,
  sourceHandle: LOOP_OUT,
  targetHandle: LOOP_IN,
  data: { label: '', loop: true, lost: '' },
  focusable: false,
  selectable: false,
  deletable: false,
  ariaLabel: t('canvas.loop', { from: name(from), to: name(to) }),
});
