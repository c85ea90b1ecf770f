/** What on a canvas says something. */
import type { FlowNode } from '../../../core/flowdata';
import { nodeLabel } from '../../../core/nodes';
import type { Doc } from './doc';
import { wordsOf } from './richtext';

export interface Hit {
  node: FlowNode;
  /** Where it stands in a text of the card, with some of what is around it; empty when only the name of the card holds it. */
  words: string;
}

/** How many characters before what was found are shown; after it, twice as many. */
const AROUND = 30;

/** A card with all that it says, as people read it: without marks, whatever the spaces. */
export interface ReadCard {
  node: FlowNode;
  names: string[];
  texts: string[];
}

/** What the cards say. It takes longer than to look for something in it. */
export const readCards = (doc: Doc): ReadCard[] =>
  doc.nodes.map((node) => ({
    node,
    names: [nodeLabel(node), node.id, String(node.data.name ?? '')].map(spaced),
    texts: textsOf(node.data.inputs).map((one) => spaced(wordsOf(one)).trim()),
  }));

/** The cards of which the name or a text holds what was typed. */
export function findIn(cards: readonly ReadCard[], typed: string): Hit[] {
  const wanted = spaced(typed).trim().toLowerCase();
  if (wanted === '') return [];
  return cards.flatMap(({ node, names, texts }) => {
    const text = texts.find((one) => one.toLowerCase().includes(wanted));
    if (text === undefined && !names.some((one) => one.toLowerCase().includes(wanted))) return [];
    return [{ node, words: text === undefined ? '' : around(text, wanted) }];
  });
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ');

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function around(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const from = Math.max(0, at - AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, at + wanted.length + AROUND * 2)}`;
}
