import { applyNodeChanges, type NodeChange } from '@xyflow/react';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Sizes } from '../document/arrange';
import type { Doc } from '../document/doc';
import { drawingOf, type CardNode, type WireEdge } from '../board/graph';

export interface Drawing {
  nodes: CardNode[];
  edges: WireEdge[];
  onNodesChange: (changes: NodeChange<CardNode>[]) => void;
  /** The chosen nodes, in the order of the canvas. */
  chosen: readonly string[];
  choose: (ids: Iterable<string>) => void;
  sizes: () => Sizes;
}

/**
 * The document as the library draws it. While nodes are dragged only their places here change; the document learns of
 * it when they are let go.
 */
export function useDrawing(doc: Doc): Drawing {
  const graph = useMemo(() => drawingOf(doc), [doc]);
  const [nodes, setNodes] = useState<CardNode[]>(graph.nodes);
  const latest = useRef(nodes);
  const wanted = useRef<ReadonlySet<string> | null>(null);
  useLayoutEffect(() => {
    latest.current = nodes;
  });
  useLayoutEffect(() => {
    setNodes((before) => merged(before, graph.nodes, wanted.current));
    wanted.current = null;
  }, [graph]);
  const onNodesChange = useCallback((changes: NodeChange<CardNode>[]) => {
    const own = changes.filter(
      (one) => one.type !== 'remove' && one.type !== 'add' && one.type !== 'replace',
    );
    if (own.length > 0) setNodes((before) => applyNodeChanges(own, before));
  }, []);
  const choose = useCallback((ids: Iterable<string>) => {
    const all = new Set(ids);
    // Nodes that were put down in the same moment are chosen once they are drawn.
    wanted.current = all;
    setNodes((before) =>
      before.map((node) =>
        Boolean(node.selected) === all.has(node.id) ? node : { ...node, selected: all.has(node.id) },
      ),
    );
  }, []);
  const key = nodes
    .filter((node) => node.selected)
    .map((node) => node.id)
    .join('\n');
  const chosen = useMemo(() => (key ? key.split('\n') : []), [key]);
  const sizes = useCallback((): Sizes => {
    const all = latest.current.flatMap((node): [string, { width: number; height: number }][] => {
      const { width, height } = node.measured ?? {};
      return width && height ? [[node.id, { width, height }]] : [];
    });
    return new Map(all);
  }, []);
  return { nodes, edges: graph.edges, onNodesChange, chosen, choose, sizes };
}

/** Keeps of every node what the library knows of it, and the very node where nothing about it changed. */
function merged(before: CardNode[], next: CardNode[], wanted: ReadonlySet<string> | null): CardNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return next.map((node) => {
    const old = known.get(node.id);
    const selected = wanted ? wanted.has(node.id) : old?.selected === true;
    if (!old) return selected ? { ...node, selected } : node;
    const same =
      old.data === node.data &&
      old.position.x === node.position.x &&
      old.position.y === node.position.y &&
      old.parentId === node.parentId &&
      Boolean(old.selected) === selected &&
      !old.dragging;
    return same ? old : { ...node, selected, ...(old.measured ? { measured: old.measured } : {}) };
  });
}
