import type { Edge, Node } from '@xyflow/react';
import { parseFlow, type FlowEdge, type FlowNode, type LoadedFlow } from '../../core/flowdata';
import { isNote, isObject, nodeLabel, portsOf, type Ports } from '../../core/nodes';
import { t } from '../../i18n';

/** What a drawn node knows: its stored self, and where edges meet it. */
export type CardData = { node: FlowNode; ports: Ports; size: { width?: number; height?: number } };
export type CardNode = Node<CardData, 'card' | 'step' | 'note' | 'area'>;
export type WireEdge = Edge<{ label: string }, 'wire'>;

export interface Graph {
  flow: LoadedFlow;
  nodes: CardNode[];
  edges: WireEdge[];
}

/** Reads a stored canvas for drawing; null when it cannot be read. */
export function graphOf(flowData: string): Graph | null {
  const parsed = parseFlow(flowData);
  if (!parsed.ok) return null;
  const { flow } = parsed;
  const known = new Set(flow.nodes.map((node) => node.id));
  // The library wants parents before what lies in them.
  const parents = flow.nodes.filter((node) => !node.parentId);
  const children = flow.nodes.filter((node) => node.parentId);
  const nodes = [...parents, ...children].map((node): CardNode => {
    const size = sizeOf(flow, node);
    const type = typeOf(node);
    return {
      id: node.id,
      type,
      position: node.position,
      data: { node, ports: portsOf(node, flow.edges), size },
      ...(node.parentId && known.has(node.parentId) ? { parentId: node.parentId } : {}),
      ...(type === 'area' ? { style: { width: size.width ?? 400, height: size.height ?? 240 } } : {}),
      zIndex: type === 'area' ? 0 : 1,
    };
  });
  const names = new Map(flow.nodes.map((node) => [node.id, nodeLabel(node)]));
  const edges = flow.edges
    .filter((edge) => known.has(edge.source) && known.has(edge.target))
    .map((edge) => wireOf(edge, names));
  return { flow, nodes, edges };
}

function typeOf(node: FlowNode): NonNullable<CardNode['type']> {
  if (isNote(node)) return 'note';
  if (node.type === 'iteration') return 'area';
  return node.type === 'agentFlow' ? 'step' : 'card';
}

function sizeOf(flow: LoadedFlow, node: FlowNode): { width?: number; height?: number } {
  const taken = flow.origin.nodes.get(node.id)?.values;
  const number = (name: string): number | undefined => {
    const value = taken?.get(name);
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  const [width, height] = [number('width'), number('height')];
  return { ...(width ? { width } : {}), ...(height ? { height } : {}) };
}

function wireOf(edge: FlowEdge, names: ReadonlyMap<string, string>): WireEdge {
  const data = isObject(edge.data) ? edge.data : {};
  const label = [edge.label, data.edgeLabel, data.label].find(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  return {
    id: edge.id,
    type: 'wire',
    source: edge.source,
    target: edge.target,
    sourceHandle: edge.sourceHandle ?? '',
    targetHandle: edge.targetHandle ?? '',
    data: { label: label ?? '' },
    focusable: false,
    ariaLabel: t('canvas.edge', {
      from: names.get(edge.source) ?? edge.source,
      to: names.get(edge.target) ?? edge.target,
    }),
  };
}
