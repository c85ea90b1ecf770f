import type { FlowNode, Point } from '../../../core/flowdata';
import { isObject, nodeLabel } from '../../../core/nodes';
import { followRows } from './anchors';
import { BOX, isValue, newNode } from './definition';
import {
  freshId,
  inputsOf,
  isStep,
  nameOf,
  nodeIn,
  objects,
  sizeOf,
  text,
  withChildren,
  withData,
  withNode,
  without,
  type Definition,
  type Doc,
} from './doc';
import { leaveGroups } from './groups';
import { mentions, textOutput } from './mentions';
import { fittingPlace, judge, mayLieIn, type End } from './rules';
import { connect, disconnect, removeNodes, withInputs } from './wires';

export interface Added {
  doc: Doc;
  id: string;
}

/** Puts a card on the canvas; inside of a box its place is counted from the box. */
export function addCard(doc: Doc, card: Definition, position: Point, parentId?: string): Added {
  const id = freshId(doc, card.name);
  const node = newNode(id, card, position);
  const inside = parentId !== undefined && mayLieIn(card.name, true);
  if (!inside) return { doc: { ...doc, nodes: [...doc.nodes, node] }, id };
  const nodes = [...doc.nodes, { ...node, parentId, extent: 'parent' }];
  return { doc: growBox({ ...doc, nodes }, parentId, position), id };
}

/** What a card takes with the room around it, before anybody has measured it. */
const CARD_ROOM = { width: 300, height: 140 };

/** Makes a box large enough for a card that lies at this place in it. */
function growBox(doc: Doc, id: string, at: Point): Doc {
  const box = nodeIn(doc, id);
  if (!box) return doc;
  const now = sizeOf(doc.origin, box);
  const [width, height] = [now.width ?? BOX.width, now.height ?? BOX.height];
  const wanted = {
    width: Math.max(width, at.x + CARD_ROOM.width),
    height: Math.max(height, at.y + CARD_ROOM.height),
  };
  return wanted.width === width && wanted.height === height ? doc : resizeNode(doc, id, wanted);
}

/** The end of a node by which it meets others through this input or output. */
export function endOf(node: FlowNode, place: string, side: End['side']): End | null {
  if (isStep(node)) {
    if (side === 'target') return { node: node.id, handle: node.id, side };
    const first = objects(node.data.outputAnchors)[0];
    return first ? { node: node.id, handle: text(first.id), side } : null;
  }
  const anchors =
    side === 'target'
      ? [...objects(node.data.inputAnchors), ...objects(node.data.inputParams)]
      : objects(node.data.outputAnchors).flatMap((one) =>
          objects(one.options).length ? objects(one.options) : [one],
        );
  const found = anchors.find((one) => one.name === place);
  return found ? { node: node.id, handle: text(found.id), side } : null;
}

/** Puts a card on the canvas and connects it with an end that is there. */
export function addConnected(doc: Doc, from: End, card: Definition, position: Point): Added | null {
  const place = fittingPlace(doc, from, card);
  if (place === null) return null;
  const added = addCard(doc, card, position, nodeIn(doc, from.node)?.parentId);
  const side = from.side === 'source' ? 'target' : 'source';
  const chosen = side === 'source' ? chooseOutput(added.doc, added.id, place) : added.doc;
  const node = nodeIn(chosen, added.id);
  const to = node && endOf(node, place, side);
  const verdict = to && judge(chosen, from, to);
  return verdict?.ok ? { doc: connect(chosen, verdict.wire), id: added.id } : null;
}

/** Puts a card between the two that an edge connects; null when it does not fit there. */
export function insertOnEdge(doc: Doc, edgeId: string, card: Definition, position: Point): Added | null {
  const edge = doc.edges.find((one) => one.id === edgeId);
  if (!edge) return null;
  const cut = disconnect(doc, new Set([edgeId]));
  const from: End = { node: edge.source, handle: text(edge.sourceHandle), side: 'source' };
  const to: End = { node: edge.target, handle: text(edge.targetHandle), side: 'target' };
  const first = addConnected(cut, from, card, position);
  if (!first) return null;
  const place = fittingPlace(cut, to, card);
  if (place === null) return null;
  const chosen = chooseOutput(first.doc, first.id, place);
  const node = nodeIn(chosen, first.id);
  const end = node && endOf(node, place, 'source');
  const verdict = end && judge(chosen, end, to);
  return verdict?.ok ? { doc: connect(chosen, verdict.wire), id: first.id } : null;
}

/** Which of its outputs a card gives; edges of the others go. */
export function chooseOutput(doc: Doc, id: string, output: string): Doc {
  const node = nodeIn(doc, id);
  const options = node ? objects(objects(node.data.outputAnchors)[0]?.options) : [];
  const chosen = options.find((one) => one.name === output);
  const outputs = node && isObject(node.data.outputs) ? node.data.outputs : {};
  if (!node || isStep(node) || !chosen || outputs.output === output) return doc;
  const gone = doc.edges.filter((edge) => edge.source === id && edge.sourceHandle !== chosen.id);
  const cut = disconnect(doc, new Set(gone.map((edge) => edge.id)));
  return withNode(cut, id, (one) => withData(one, { outputs: { ...outputs, output } }));
}

/** Puts nodes elsewhere. */
export function moveNodes(doc: Doc, to: ReadonlyMap<string, Point>): Doc {
  let changed = false;
  const nodes = doc.nodes.map((node) => {
    const at = to.get(node.id);
    if (!at || (at.x === node.position.x && at.y === node.position.y)) return node;
    changed = true;
    return { ...node, position: { ...node.position, x: at.x, y: at.y } };
  });
  return changed ? { ...doc, nodes } : doc;
}

/** Gives a box or a note another size. */
export function resizeNode(
  doc: Doc,
  id: string,
  size: { width: number; height: number },
  position?: Point,
): Doc {
  return withNode(doc, id, (node) => ({
    ...node,
    ...(position ? { position } : {}),
    ...size,
    style: { ...(isObject(node.style) ? node.style : {}), ...size },
  }));
}

/** Puts nodes into a box, or takes them out of one; connections that would cross its border go. */
export function moveInto(
  doc: Doc,
  ids: ReadonlySet<string>,
  box: string | null,
  to: ReadonlyMap<string, Point>,
): Doc {
  const moving = new Set(
    [...ids].filter((id) => {
      const node = nodeIn(doc, id);
      return node && (node.parentId ?? null) !== box && (box === null || mayLieIn(nameOf(node), true));
    }),
  );
  if (moving.size === 0) return doc;
  const crossing = doc.edges.filter((edge) => moving.has(edge.source) !== moving.has(edge.target));
  const cut = disconnect(doc, new Set(crossing.map((edge) => edge.id)));
  const nodes = cut.nodes.map((node) => {
    if (!moving.has(node.id)) return node;
    const rest = without(node, 'parentId', 'extent');
    const position = to.get(node.id) ?? node.position;
    return box === null ? { ...rest, position } : { ...rest, position, parentId: box, extent: 'parent' };
  });
  return { ...cut, nodes };
}

/** Takes nodes away with what lies in them. */
export const remove = (doc: Doc, ids: ReadonlySet<string>): Doc => {
  const all = withChildren(doc, ids);
  return removeNodes(leaveGroups(doc, all), all);
};

/** Sets an input; outputs and edges that follow from it are brought in line. */
export function setInput(doc: Doc, id: string, name: string, value: unknown, card?: Definition): Doc {
  const before = nodeIn(doc, id);
  if (!before || inputsOf(before)[name] === value) return doc;
  const after = declared(withInputs(before, { [name]: value }), name, card);
  const next = withNode(doc, id, () => after);
  return followMentions(followRows(next, before, after), before, after, name);
}

/** Connections follow what a text says: with the card that it names now, and no longer with one that it named before. */
function followMentions(doc: Doc, before: FlowNode, after: FlowNode, name: string): Doc {
  const param = isStep(after) ? undefined : objects(after.data.inputParams).find((one) => one.name === name);
  if (param?.acceptVariable !== true || !text(param.id)) return doc;
  const [old, now] = [mentions(inputsOf(before)[name]), mentions(inputsOf(after)[name])];
  const to: End = { node: after.id, handle: text(param.id), side: 'target' };
  const gone = doc.edges.filter(
    (edge) =>
      edge.target === to.node &&
      edge.targetHandle === to.handle &&
      old.has(edge.source) &&
      !now.has(edge.source),
  );
  const cut = disconnect(doc, new Set(gone.map((edge) => edge.id)));
  return [...now].filter((one) => !old.has(one)).reduce((one, source) => mention(one, source, to), cut);
}

/** Connects a text with a card that it names, where that card gives a text and nothing goes round in a circle. */
function mention(doc: Doc, source: string, to: End): Doc {
  const giver = nodeIn(doc, source);
  const output = giver && textOutput(doc, giver);
  if (!output) return doc;
  const chosen = chooseOutput(doc, source, output);
  const node = nodeIn(chosen, source);
  const from = node && endOf(node, output, 'source');
  const verdict = from && judge(chosen, from, to);
  return verdict?.ok ? connect(chosen, verdict.wire) : doc;
}

/** Flowise's engine trusts what the canvas says of an input, so an input that is set is described there. */
function declared(node: FlowNode, name: string, card: Definition | undefined): FlowNode {
  const known = [...objects(node.data.inputParams), ...objects(node.data.inputAnchors)];
  if (known.some((one) => one.name === name)) return node;
  const params = card?.inputs.filter((one) => one.name === name && isValue(one)) ?? [];
  if (params.length === 0) return node;
  const more = params.map((one) => ({ ...one, id: `${node.id}-input-${one.name}-${one.type}` }));
  return withData(node, { inputParams: [...objects(node.data.inputParams), ...more] });
}

/** The name that people gave a card; loops name their target by it. */
export function setLabel(doc: Doc, id: string, label: string): Doc {
  const node = nodeIn(doc, id);
  if (!node || label === '' || node.data.label === label) return doc;
  const old = `${id}-${nodeLabel(node)}`;
  const nodes = doc.nodes.map((one) => {
    if (one.id === id) return withData(one, { label });
    if (nameOf(one) === 'loopAgentflow' && inputsOf(one).loopBackToNode === old)
      return withInputs(one, { loopBackToNode: `${id}-${label}` });
    return one;
  });
  return { ...doc, nodes };
}

/** The credential of a card; an empty text takes it away. */
export const setCredential = (doc: Doc, id: string, credential: string): Doc =>
  withNode(doc, id, (node) => {
    const inputs = without(inputsOf(node), 'FLOWISE_CREDENTIAL_ID');
    return withData(node, { credential, inputs });
  });
