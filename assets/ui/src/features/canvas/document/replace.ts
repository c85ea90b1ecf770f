import type { FlowEdge, FlowNode, Point } from '../../../core/flowdata';
import { isObject } from '../../../core/nodes';
import { isStepCard, newNode } from './definition';
import { freshId, inputsOf, isStep, nodeIn, objects, text, type Definition, type Doc } from './doc';
import { chooseOutput, endOf, moveInto } from './edit';
import { fittingPlace, judge, mayAdd, mayLieIn, type End } from './rules';
import { connect, disconnect, renameIds } from './wires';

export interface Replaced {
  doc: Doc;
  id: string;
  /** Connections that found no place on the new card. */
  lost: number;
}

/** Whether one card may stand where another stands. */
export function mayReplace(doc: Doc, node: FlowNode, card: Definition): boolean {
  return (
    isStepCard(card) === isStep(node) &&
    mayLieIn(card.name, node.parentId !== undefined) &&
    mayAdd(doc, card) === null
  );
}

/** Puts another card in the place of a node: values of inputs both have stay, and connections that fit. */
export function replaceCard(before: Doc, id: string, card: Definition): Replaced | null {
  const old = nodeIn(before, id);
  if (!old || !mayReplace(before, old, card)) return null;
  const doc = emptied(before, old);
  const fresh = freshId(doc, card.name);
  const made = newNode(fresh, card, old.position);
  const next = keepValues(made, old, card);
  const incoming = doc.edges.filter((edge) => edge.target === id);
  const outgoing = doc.edges.filter((edge) => edge.source === id);
  const cut = disconnect(doc, new Set([...incoming, ...outgoing].map((edge) => edge.id)));
  const renames = new Map([[id, fresh]]);
  const nodes = cut.nodes.map((node) => {
    if (node.id === id)
      return { ...next, ...(old.parentId ? { parentId: old.parentId, extent: 'parent' } : {}) };
    const inputs = renameIds(node.data.inputs, renames);
    return JSON.stringify(inputs) === JSON.stringify(node.data.inputs)
      ? node
      : { ...node, data: { ...node.data, inputs } };
  });
  let now: Doc = { ...cut, nodes };
  let lost = 0;
  for (const edge of [...incoming, ...outgoing]) {
    const wired = rewire(now, fresh, card, edge, edge.target === id ? 'target' : 'source', old);
    if (wired) now = wired;
    else lost += 1;
  }
  return { doc: now, id: fresh, lost };
}

/** What lies in a box that goes stays where it is drawn. */
function emptied(doc: Doc, box: FlowNode): Doc {
  const inner = doc.nodes.filter((node) => node.parentId === box.id);
  const to = inner.map(({ id, position: { x, y } }): [string, Point] => [
    id,
    { x: box.position.x + x, y: box.position.y + y },
  ]);
  return moveInto(doc, new Set(inner.map((node) => node.id)), box.parentId ?? null, new Map(to));
}

function keepValues(made: FlowNode, old: FlowNode, card: Definition): FlowNode {
  const [before, inputs] = [inputsOf(old), { ...inputsOf(made) }];
  const types = new Map(objects(old.data.inputParams).map((one) => [text(one.name), text(one.type)]));
  for (const param of card.inputs) {
    const value = before[param.name];
    if (types.get(param.name) !== param.type || value === undefined || value === '') continue;
    if (param.type === 'options' && !param.options?.some((one) => one.name === value)) continue;
    inputs[param.name] = value;
  }
  const named = text(old.data.label);
  const label = named && !/ \d+$/.test(named) && old.type !== 'customNode' ? { label: named } : {};
  const same = card.credential?.credentialNames ?? [];
  const had = objects(old.data.inputParams).find((one) => one.name === 'credential')?.credentialNames;
  const fits = Array.isArray(had) && had.some((one) => same.includes(String(one)));
  const credential = fits && text(old.data.credential) ? { credential: old.data.credential } : {};
  return { ...made, data: { ...made.data, ...label, ...credential, inputs } };
}

/** Draws an edge of the old card at the new one, where one fits. */
function rewire(
  doc: Doc,
  id: string,
  card: Definition,
  edge: FlowEdge,
  side: End['side'],
  old: FlowNode,
): Doc | null {
  const other: End =
    side === 'target'
      ? { node: edge.source, handle: text(edge.sourceHandle), side: 'source' }
      : { node: edge.target, handle: text(edge.targetHandle), side: 'target' };
  const place = sameName(old, card, text(edge.targetHandle), side) ?? fittingPlace(doc, other, card);
  if (place === null) return null;
  const chosen = side === 'source' ? chooseOutput(doc, id, place) : doc;
  const node = nodeIn(chosen, id);
  const end = node && (stepOutput(node, old, edge, side) ?? endOf(node, place, side));
  const verdict = end && judge(chosen, other, end);
  return verdict?.ok ? connect(chosen, verdict.wire) : null;
}

/** The input of the same name, when it takes the same. */
function sameName(old: FlowNode, card: Definition, handle: string, side: End['side']): string | null {
  if (side === 'source' || isStep(old)) return null;
  const anchor = objects(old.data.inputAnchors).find((one) => one.id === handle);
  const same = card.inputs.find((one) => one.name === anchor?.name && one.type === anchor.type);
  return same?.name ?? null;
}

/** The output at the same place, for steps that have several. */
function stepOutput(node: FlowNode, old: FlowNode, edge: FlowEdge, side: End['side']): End | null {
  if (side === 'target' || !isStep(node)) return null;
  const at = objects(old.data.outputAnchors).findIndex((one) => one.id === edge.sourceHandle);
  const anchors = objects(node.data.outputAnchors).filter(isObject);
  const found = anchors[at] ?? anchors[0];
  return found ? { node: node.id, handle: text(found.id), side: 'source' } : null;
}
