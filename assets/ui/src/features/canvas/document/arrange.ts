import type { Point } from '../../../core/flowdata';
import { moveNodes } from './edit';
import { isContainer, outermost, type Doc } from './doc';

export interface Size {
  width: number;
  height: number;
}

export type Sizes = ReadonlyMap<string, Size>;
export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom';

const FALLBACK: Size = { width: 240, height: 80 };
export const GRID = 20;

interface Box extends Size, Point {
  id: string;
}

/** Each on its own: the nodes on the canvas, and those in each box, whose places are counted from the box. */
function groups(doc: Doc, ids: ReadonlySet<string>, sizes: Sizes): Box[][] {
  const found = new Map<string | undefined, Box[]>();
  for (const { id, parentId, position } of outermost(doc, ids)) {
    const box = { id, ...position, ...(sizes.get(id) ?? FALLBACK) };
    found.set(parentId, [...(found.get(parentId) ?? []), box]);
  }
  return [...found.values()];
}

/** Moves nodes by so much. */
export function nudge(doc: Doc, ids: ReadonlySet<string>, by: Point): Doc {
  const to = outermost(doc, ids).map(({ id, position: { x, y } }): [string, Point] => [
    id,
    { x: x + by.x, y: y + by.y },
  ]);
  return moveNodes(doc, new Map(to));
}

/** Puts nodes on one line. Those in a box are aligned only with one another. */
export const align = (doc: Doc, ids: ReadonlySet<string>, how: Alignment, sizes: Sizes): Doc =>
  groups(doc, ids, sizes).reduce((now, all) => alignAll(now, all, how), doc);

function alignAll(doc: Doc, all: readonly Box[], how: Alignment): Doc {
  const left = Math.min(...all.map((one) => one.x));
  const right = Math.max(...all.map((one) => one.x + one.width));
  const top = Math.min(...all.map((one) => one.y));
  const bottom = Math.max(...all.map((one) => one.y + one.height));
  const to = (one: Box): Point => {
    switch (how) {
      case 'left':
        return { x: left, y: one.y };
      case 'centre':
        return { x: (left + right - one.width) / 2, y: one.y };
      case 'right':
        return { x: right - one.width, y: one.y };
      case 'top':
        return { x: one.x, y: top };
      case 'middle':
        return { x: one.x, y: (top + bottom - one.height) / 2 };
      case 'bottom':
        return { x: one.x, y: bottom - one.height };
    }
  };
  return moveNodes(doc, new Map(all.map((one) => [one.id, to(one)])));
}

/** Puts the same space between nodes, from the first to the last; those in a box stay among themselves. */
export const distribute = (doc: Doc, ids: ReadonlySet<string>, along: 'x' | 'y', sizes: Sizes): Doc =>
  groups(doc, ids, sizes).reduce((now, all) => distributeAll(now, all, along), doc);

function distributeAll(doc: Doc, boxes: readonly Box[], along: 'x' | 'y'): Doc {
  const extent = along === 'x' ? 'width' : 'height';
  const all = [...boxes].sort((a, b) => a[along] - b[along]);
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || all.length < 3) return doc;
  const room = last[along] + last[extent] - first[along] - all.reduce((sum, one) => sum + one[extent], 0);
  const gap = room / (all.length - 1);
  let next = first[along];
  const to = new Map<string, Point>();
  for (const one of all) {
    to.set(one.id, along === 'x' ? { x: next, y: one.y } : { x: one.x, y: next });
    next += one[extent] + gap;
  }
  return moveNodes(doc, to);
}

const around = { side: 40, top: 70 };

/**
 * Lays the canvas out anew, from left to right, along its connections. What lies in a box is laid out inside of it,
 * and the box fits around it. Notes stay where they are. The library comes with the first use.
 */
export async function tidy(doc: Doc, sizes: Sizes): Promise<Doc> {
  const { graphlib, layout } = await import('@dagrejs/dagre');
  const grown = new Map(sizes);
  let next = doc;
  const arrange = (parent: string | null): void => {
    const here = next.nodes.filter(
      (node) => (node.parentId ?? null) === parent && node.type !== 'stickyNote',
    );
    if (here.length === 0) return;
    const graph = new graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'LR', nodesep: 40, ranksep: 90 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const node of here) graph.setNode(node.id, { ...(grown.get(node.id) ?? FALLBACK) });
    for (const edge of next.edges)
      if (graph.hasNode(edge.source) && graph.hasNode(edge.target))
        graph.setEdge(edge.source, edge.target, {}, edge.id);
    layout(graph);
    const placed = here.map((node) => {
      const { x, y, width, height } = graph.node(node.id);
      return { id: node.id, x: x - width / 2, y: y - height / 2, width, height };
    });
    const from =
      parent === null
        ? corner(
            next,
            here.map((node) => node.id),
          )
        : { x: around.side, y: around.top };
    const [left, top] = [Math.min(...placed.map((one) => one.x)), Math.min(...placed.map((one) => one.y))];
    const snap = (value: number): number => Math.round(value / GRID) * GRID;
    const to = placed.map((one): [string, Point] => [
      one.id,
      { x: snap(one.x - left + from.x), y: snap(one.y - top + from.y) },
    ]);
    next = moveNodes(next, new Map(to));
    if (parent !== null) {
      const width = Math.max(...placed.map((one) => one.x - left + one.width)) + 2 * around.side;
      const height = Math.max(...placed.map((one) => one.y - top + one.height)) + around.top + around.side;
      grown.set(parent, { width, height });
      next = {
        ...next,
        nodes: next.nodes.map((node) =>
          node.id === parent ? { ...node, width, height, style: { width, height } } : node,
        ),
      };
    }
  };
  for (const box of doc.nodes.filter(isContainer)) arrange(box.id);
  arrange(null);
  return next;
}

/** Where the canvas begins now, so that it does not jump away. */
function corner(doc: Doc, ids: readonly string[]): Point {
  const all = doc.nodes.filter((node) => ids.includes(node.id)).map((node) => node.position);
  return { x: Math.min(...all.map((one) => one.x)), y: Math.min(...all.map((one) => one.y)) };
}
