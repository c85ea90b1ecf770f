/**
 * Groups of cards. A group is a note that says which cards belong together: engines pass over notes, and canvases of
 * other products show it as a note with the group's name.
 */
import type { FlowNode, Point } from '../../../core/flowdata';
import { isNote } from '../../../core/nodes';
import { newNode } from './definition';
import { freshId, nodeIn, withData, withNode, type Definition, type Doc } from './doc';
import { withInputs } from './wires';

const listed = (node: FlowNode): string[] =>
  Array.isArray(node.data.group)
    ? node.data.group.filter((one): one is string => typeof one === 'string')
    : [];

export const isGroup = (node: FlowNode): boolean => isNote(node) && Array.isArray(node.data.group);

/** The cards of a group that are on the canvas. */
export const membersOf = (doc: Doc, node: FlowNode): FlowNode[] => {
  const ids = new Set(listed(node));
  return doc.nodes.filter((one) => ids.has(one.id) && !isGroup(one));
};

/** The group that a card belongs to. */
export const groupOf = (doc: Doc, id: string): FlowNode | undefined =>
  doc.nodes.find((node) => isGroup(node) && listed(node).includes(id));

/** These nodes, and of groups among them all cards. */
export function withMembers(doc: Doc, ids: readonly string[]): string[] {
  const all = new Set(ids);
  for (const id of ids) {
    const node = nodeIn(doc, id);
    if (node && isGroup(node)) for (const member of membersOf(doc, node)) all.add(member.id);
  }
  return doc.nodes.filter((node) => all.has(node.id)).map((node) => node.id);
}

/** Puts cards into a group of their own; null when there is none among the nodes. */
export function makeGroup(
  doc: Doc,
  ids: ReadonlySet<string>,
  note: Definition,
  name: string,
  at: Point,
): { doc: Doc; id: string } | null {
  const members = doc.nodes.filter((node) => ids.has(node.id) && !isGroup(node)).map((node) => node.id);
  if (members.length === 0) return null;
  const id = freshId(doc, note.name);
  const made = withData(newNode(id, note, at), { group: members });
  const cut = leaveGroups(doc, new Set(members));
  return { doc: nameGroup({ ...cut, nodes: [...cut.nodes, made] }, id, name), id };
}

/** The name of a group, which is also what its note says elsewhere. */
export const nameGroup = (doc: Doc, id: string, name: string): Doc =>
  withNode(doc, id, (node) => withInputs(withData(node, { label: name }), { note: name }));

/** Takes cards out of their groups; a group that nothing is left of goes. */
export function leaveGroups(doc: Doc, ids: ReadonlySet<string>): Doc {
  let changed = false;
  const nodes = doc.nodes.flatMap((node) => {
    if (!isGroup(node) || !listed(node).some((id) => ids.has(id))) return [node];
    changed = true;
    const rest = listed(node).filter((id) => !ids.has(id));
    return rest.length > 0 ? [withData(node, { group: rest })] : [];
  });
  return changed ? { ...doc, nodes } : doc;
}

/** Takes groups away and leaves their cards where they are. */
export function ungroup(doc: Doc, ids: ReadonlySet<string>): Doc {
  const nodes = doc.nodes.filter((node) => !(ids.has(node.id) && isGroup(node)));
  return nodes.length === doc.nodes.length ? doc : { ...doc, nodes };
}
