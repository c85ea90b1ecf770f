import type { FlowEdge, FlowNode } from '../../../core/flowdata';
import { nodeLabel, portsOf } from '../../../core/nodes';
import { t } from '../words';
import type { Doc } from './doc';

/** A connection of which an end is no more: the card of another version lacks the place, or the card itself is gone. */
export interface LostWire {
  edge: string;
  /** The card that it still meets; empty where it meets none. */
  node: string;
  label: string;
  /** What is wrong with it, in a sentence. */
  text: string;
}

/** The connections that lead nowhere, or come from nowhere. Nothing passes through them, whatever they look like. */
export function lostWires(doc: Doc): LostWire[] {
  const known = new Map(doc.nodes.map((node) => [node.id, node]));
  const ends = new Map<string, FlowEdge[]>();
  for (const edge of doc.edges)
    for (const id of new Set([edge.source, edge.target])) ends.set(id, [...(ends.get(id) ?? []), edge]);
  const places = new Map(
    [...ends].flatMap(([id, edges]) => {
      const node = known.get(id);
      return node ? [[id, portsOf(node, edges)] as const] : [];
    }),
  );
  const gone = (node: FlowNode, side: 'inputs' | 'outputs', handle: unknown): string | null =>
    places.get(node.id)?.[side].find((port) => port.gone && port.id === handle)?.label ?? null;
  return doc.edges.flatMap((edge): LostWire[] => {
    const [source, target] = [known.get(edge.source), known.get(edge.target)];
    const at = (node: FlowNode | undefined, text: string): LostWire[] => [
      { edge: edge.id, node: node?.id ?? '', label: node ? nodeLabel(node) : '', text },
    ];
    if (!source && !target) return at(undefined, t('canvas.lost.both'));
    if (!source) return at(target, t('canvas.lost.source', { card: edge.source }));
    if (!target) return at(source, t('canvas.lost.target', { card: edge.target }));
    const input = gone(target, 'inputs', edge.targetHandle);
    if (input !== null) return at(target, t('canvas.lost.input', { card: nodeLabel(source), name: input }));
    const output = gone(source, 'outputs', edge.sourceHandle);
    if (output !== null)
      return at(source, t('canvas.lost.output', { card: nodeLabel(target), name: output }));
    return [];
  });
}
