import type { useReactFlow } from '@xyflow/react';
import type { Point } from '../../../core/flowdata';
import { isContainer, nameOf, nodeIn, type Doc } from '../document/doc';
import { isGroup } from '../document/groups';
import { mayLieIn } from '../document/rules';

/** The box that a node was let go over, and its place in there; null where it stays outside. */
export function dropBox(
  doc: Doc,
  id: string,
  inner: ReturnType<typeof useReactFlow>['getInternalNode'],
): { box: string; at: Point } | null {
  const node = nodeIn(doc, id);
  const own = inner(id);
  if (!node || !own || node.parentId || isGroup(node) || !mayLieIn(nameOf(node), true)) return null;
  // Who is connected with the outside stays there: its connections would be lost.
  if (doc.edges.some((edge) => edge.source === id || edge.target === id)) return null;
  const { width: w = 0, height: h = 0 } = own.measured;
  const middle = { x: node.position.x + w / 2, y: node.position.y + h / 2 };
  for (const one of doc.nodes.filter(isContainer)) {
    const box = inner(one.id);
    if (!box || one.id === id) continue;
    const { width = 0, height = 0 } = box.measured;
    const { x, y } = one.position;
    if (middle.x > x && middle.x < x + width && middle.y > y && middle.y < y + height)
      return { box: one.id, at: { x: node.position.x - x, y: node.position.y - y } };
  }
  return null;
}
