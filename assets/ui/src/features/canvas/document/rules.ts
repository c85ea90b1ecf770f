import type { FlowNode } from '../../../core/flowdata';
import { isNote, nodeLabel, takesText } from '../../../core/nodes';
import type { Key } from '../../../i18n';
import { edgeId, givesNothing, takesNothing } from './anchors';
import { isNoteCard, isStepCard, isValue } from './definition';
import { isStep, nameOf, nodeIn, objects, text, type Definition, type Doc } from './doc';

/** One end of a connection. */
export interface End {
  node: string;
  handle: string;
  side: 'source' | 'target';
}

export interface Wire {
  source: string;
  sourceHandle: string;
  target: string;
  targetHandle: string;
}

/** Why two ends do not fit, in words with the values they take. */
export interface Refusal {
  key: Key;
  values: Record<string, string>;
}

export type Verdict = { ok: true; wire: Wire } | { ok: false; why: Refusal };

const refuse = (key: Key, values: Record<string, string> = {}): Verdict => ({
  ok: false,
  why: { key, values },
});

export const classes = (types: string): string[] =>
  types
    .split('|')
    .map((one) => one.trim())
    .filter(Boolean);

interface Place {
  label: string;
  types: string[];
  list: boolean;
}

/** What a handle is for: from the node's own description, else from the handle's name. */
export function placeOf(node: FlowNode, handle: string, side: End['side']): Place {
  const anchors =
    side === 'target'
      ? [...objects(node.data.inputAnchors), ...objects(node.data.inputParams)]
      : objects(node.data.outputAnchors).flatMap((one) =>
          objects(one.options).length ? objects(one.options) : [one],
        );
  const found = anchors.find((one) => one.id === handle);
  const last = handle.slice(handle.lastIndexOf('-') + 1);
  return {
    label: text(found?.label) || text(found?.name) || last,
    types: classes(text(found?.type) || last),
    // A text names as many cards as it wants.
    list: found?.list === true || found?.acceptVariable === true,
  };
}

/** Judges what may meet one end. What all answers need is found once, for it is asked of every handle there is. */
export function judgeFrom(doc: Doc, from: End): (to: End) => Verdict {
  const here = nodeIn(doc, from.node);
  const round = here ? walk(doc, from.node, from.side === 'source' ? 'back' : 'on') : new Set<string>();
  const nodes = new Map(doc.nodes.map((node) => [node.id, node]));
  const met = new Set(partners(doc, from));
  const taken = new Set(doc.edges.map((edge) => keyOf(edge.target, edge.targetHandle)));
  return (to) => {
    const there = nodes.get(to.node);
    if (!here || !there) return refuse('editor.no.gone');
    if (to.side === from.side)
      return refuse(from.side === 'source' ? 'editor.no.twoOutputs' : 'editor.no.twoInputs');
    if (here === there) return refuse('editor.no.self');
    if (isNote(here) || isNote(there)) return refuse('editor.no.note');
    const [source, target] = from.side === 'source' ? [from, to] : [to, from];
    const [giver, taker] = from.side === 'source' ? [here, there] : [there, here];
    const wire: Wire = {
      source: source.node,
      sourceHandle: source.handle,
      target: target.node,
      targetHandle: target.handle,
    };
    if (met.has(keyOf(to.node, to.handle))) return refuse('editor.no.twice');
    const against =
      isStep(giver) || isStep(taker)
        ? judgeSteps(giver, taker)
        : judgeCards(giver, taker, wire, taken.has(keyOf(wire.target, wire.targetHandle)));
    if (against) return { ok: false, why: against };
    if (round.has(to.node)) return refuse(isStep(giver) ? 'editor.no.circleOfSteps' : 'editor.no.circle');
    return { ok: true, wire };
  };
}

export const judge = (doc: Doc, from: End, to: End): Verdict => judgeFrom(doc, from)(to);

const keyOf = (node: string, handle: string | null | undefined): string => `${node}\n${handle}`;

/** The other ends of what is connected with one. */
const partners = (doc: Doc, { node, handle, side }: End): string[] =>
  side === 'source'
    ? doc.edges
        .filter((edge) => edge.source === node && edge.sourceHandle === handle)
        .map((edge) => keyOf(edge.target, edge.targetHandle))
    : doc.edges
        .filter((edge) => edge.target === node && edge.targetHandle === handle)
        .map((edge) => keyOf(edge.source, edge.sourceHandle));

function judgeSteps(giver: FlowNode, taker: FlowNode): Refusal | null {
  const no = (key: Key, values: Record<string, string> = {}): Refusal => ({ key, values });
  if (!isStep(giver) || !isStep(taker)) return no('editor.no.otherKind');
  if (takesNothing(nameOf(taker))) return no('editor.no.start');
  if (givesNothing(nameOf(giver))) return no('editor.no.end', { name: nodeLabel(giver) });
  if ((giver.parentId ?? '') !== (taker.parentId ?? '')) return no('editor.no.border');
  return null;
}

function judgeCards(giver: FlowNode, taker: FlowNode, wire: Wire, taken: boolean): Refusal | null {
  const output = placeOf(giver, wire.sourceHandle, 'source');
  const input = placeOf(taker, wire.targetHandle, 'target');
  if (!output.types.some((one) => input.types.includes(one)))
    return {
      key: 'editor.no.type',
      values: {
        input: input.label,
        wants: input.types.join(', '),
        gives: output.types[0] ?? nodeLabel(giver),
      },
    };
  if (taken && !input.list)
    return { key: 'editor.no.taken', values: { input: input.label, name: nodeLabel(taker) } };
  return null;
}

/** Every node that leads to this one, or that it leads to. */
export function walk(doc: Doc, id: string, way: 'back' | 'on'): Set<string> {
  const next = new Map<string, string[]>();
  for (const { source, target } of doc.edges) {
    const [a, b] = way === 'on' ? [source, target] : [target, source];
    next.set(a, [...(next.get(a) ?? []), b]);
  }
  const found = new Set<string>();
  const open = [id];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const other of next.get(one) ?? []) {
      if (!found.has(other)) {
        found.add(other);
        open.push(other);
      }
    }
  }
  return found;
}

/** The places of a card that is not on the canvas yet. */
function places(card: Definition, side: End['side']): { name: string; types: string[] }[] {
  if (side === 'target')
    return card.inputs
      .filter((one) => !isValue(one) || takesText({ ...one }, card.category))
      .sort((a, b) => Number(isValue(a)) - Number(isValue(b)))
      .map((one) => ({ name: one.name, types: classes(one.type) }));
  return card.outputs?.length
    ? card.outputs.map((one) => ({ name: one.name, types: one.baseClasses }))
    : [{ name: card.name, types: card.baseClasses }];
}

/** By which input or output a new card would meet this end; null when it does not fit. */
export function fittingPlace(doc: Doc, from: End, card: Definition): string | null {
  const node = nodeIn(doc, from.node);
  if (!node || isNoteCard(card) || isNote(node)) return null;
  if (isStep(node) !== isStepCard(card)) return null;
  if (isStep(node)) {
    if (!mayLieIn(card.name, node.parentId !== undefined)) return null;
    if (from.side === 'source') return takesNothing(card.name) ? null : card.name;
    return givesNothing(card.name) ? null : card.name;
  }
  const here = placeOf(node, from.handle, from.side);
  const other = from.side === 'source' ? 'target' : 'source';
  return places(card, other).find((one) => one.types.some((type) => here.types.includes(type)))?.name ?? null;
}

/** Whether a card may lie inside of an iteration. */
export const mayLieIn = (name: string, inside: boolean): boolean =>
  !inside || !['startAgentflow', 'humanInputAgentflow', 'iterationAgentflow'].includes(name);

/** Whether a card may be put on this canvas at all. */
export function mayAdd(doc: Doc, card: Definition): Refusal | null {
  if (card.name === 'startAgentflow' && doc.nodes.some((node) => nameOf(node) === card.name))
    return { key: 'editor.no.secondStart', values: {} };
  return null;
}

export const idOf = (wire: Wire): string =>
  edgeId(wire.source, wire.sourceHandle, wire.target, wire.targetHandle);
