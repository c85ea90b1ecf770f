/** What cards of a chat canvas say in their texts of one another. */
import type { FlowNode } from '../../../core/flowdata';
import { isNote, isObject, type Json } from '../../../core/nodes';
import { isStep, objects, text, type Doc } from './doc';
import { classes, walk } from './rules';

const TEXTS = new Set(['string', 'number', 'boolean', 'json', 'array']);

/** The cards that a value names: `{{<id>.data.instance}}`, with a part of what they give behind it or not. */
export function mentions(value: unknown): ReadonlySet<string> {
  const read = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return new Set([...read.matchAll(/\{\{([^{}]+?)\.data\.instance[^{}]*\}\}/g)].map((one) => one[1] ?? ''));
}

/** The output by which a card gives a text; null when it gives none, or when what it gives is wanted elsewhere. */
export function textOutput(doc: Doc, node: FlowNode): string | null {
  const first = objects(node.data.outputAnchors)[0];
  const gives = (one: Json): boolean => classes(text(one.type)).some((type) => TEXTS.has(type));
  const options = objects(first?.options);
  if (options.length === 0) return first && gives(first) ? text(first.name) : null;
  const chosen = isObject(node.data.outputs) ? text(node.data.outputs.output) : '';
  if (options.some((one) => one.name === chosen && gives(one))) return chosen;
  if (doc.edges.some((edge) => edge.source === node.id)) return null;
  return text(options.find(gives)?.name) || null;
}

/** The cards whose result a text of this one can name: it does not lead to them. */
export function textGivers(doc: Doc, id: string): FlowNode[] {
  const after = walk(doc, id, 'on');
  return doc.nodes.filter(
    (node) =>
      node.id !== id &&
      !isStep(node) &&
      !isNote(node) &&
      !after.has(node.id) &&
      textOutput(doc, node) !== null,
  );
}
