/** What a text of a card can name: the question, variables, state, and what cards before it made. */
import type { FlowNode } from '../../../core/flowdata';
import { isNote, nodeLabel } from '../../../core/nodes';
import type { Key } from '../../../i18n';
import { inputsOf, nameOf, nodeIn, rowsOf, text, type CanvasKind, type Doc } from './doc';
import { textGivers } from './mentions';
import { walk } from './rules';

export interface Offer {
  /** What is put into the text, with its braces. */
  text: string;
  /** What it is; a name of a card, or words. */
  detail: Key | { name: string };
}

const general: Record<CanvasKind, readonly [string, Key][]> = {
  cards: [
    ['question', 'editor.ref.question'],
    ['chat_history', 'editor.ref.history'],
    ['file_attachment', 'editor.ref.files'],
  ],
  steps: [
    ['question', 'editor.ref.question'],
    ['chat_history', 'editor.ref.history'],
    ['file_attachment', 'editor.ref.files'],
    ['current_date_time', 'editor.ref.now'],
    ['runtime_messages_length', 'editor.ref.messages'],
    ['loop_count', 'editor.ref.loops'],
  ],
};

const flowFields = ['chatId', 'sessionId', 'chatflowId'];

/** What the state of a flow begins with, by key: as Start of an agentflow says, or the State card of sequential agents. */
export function firstState(doc: Doc): ReadonlyMap<string, string> {
  const rows = doc.nodes.flatMap((node) => {
    if (nameOf(node) === 'startAgentflow') return rowsOf(inputsOf(node).startState);
    return nameOf(node) === 'seqState' ? rowsOf(inputsOf(node).stateMemoryUI) : [];
  });
  return new Map(
    rows.flatMap((row) =>
      text(row.key) ? [[text(row.key), text(row.value) || text(row.defaultValue)]] : [],
    ),
  );
}

/** What a text of this node can name, the nearest first. */
export function offersFor(
  doc: Doc,
  id: string,
  kind: CanvasKind,
  variables: readonly string[],
  output: boolean,
): Offer[] {
  const node = nodeIn(doc, id);
  const offers: Offer[] = [];
  const put = (name: string, detail: Offer['detail']): void => {
    offers.push({ text: `{{${name}}}`, detail });
  };
  if (kind === 'steps') {
    if (output) put('output', 'editor.ref.output');
    if (node?.parentId) put('$iteration', 'editor.ref.item');
    for (const one of before(doc, id)) {
      put(one.id, { name: nodeLabel(one) });
      for (const field of outputFields(one)) put(`${one.id}.output.${field}`, { name: nodeLabel(one) });
    }
    for (const key of firstState(doc).keys()) put(`$flow.state.${key}`, 'editor.ref.state');
    for (const field of formFields(doc)) put(`$form.${field}`, 'editor.ref.form');
    if (startType(doc) === 'webhookTrigger')
      for (const part of ['body', 'headers', 'query']) put(`$webhook.${part}`, 'editor.ref.webhook');
  }
  if (kind === 'cards')
    for (const one of textGivers(doc, id)) put(`${one.id}.data.instance`, { name: nodeLabel(one) });
  for (const [name, detail] of general[kind]) put(name, detail);
  for (const name of variables) put(`$vars.${name}`, 'editor.ref.variable');
  for (const name of flowFields) put(`$flow.${name}`, 'editor.ref.flow');
  return offers;
}

/** The steps that ran before this one, also those before the box that it lies in. */
function before(doc: Doc, id: string): FlowNode[] {
  const ids = walk(doc, id, 'back');
  const parent = nodeIn(doc, id)?.parentId;
  if (parent) for (const one of walk(doc, parent, 'back')) ids.add(one);
  return doc.nodes.filter(
    (node) => ids.has(node.id) && node.id !== id && !isNote(node) && nameOf(node) !== 'startAgentflow',
  );
}

/** Fields of an answer that a model was told to give. */
function outputFields(node: FlowNode): string[] {
  const inputs = inputsOf(node);
  const structured = inputs.llmStructuredOutput ?? inputs.agentStructuredOutput;
  return rowsOf(structured)
    .map((row) => text(row.key))
    .filter(Boolean);
}

const startNode = (doc: Doc): FlowNode | undefined =>
  doc.nodes.find((node) => nameOf(node) === 'startAgentflow');
const startType = (doc: Doc): string => {
  const start = startNode(doc);
  return start ? text(inputsOf(start).startInputType) : '';
};

function formFields(doc: Doc): string[] {
  const start = startNode(doc);
  if (!start || startType(doc) !== 'formInput') return [];
  return rowsOf(inputsOf(start).formInputTypes)
    .map((row) => text(row.name))
    .filter(Boolean);
}

/** Steps that a Loop can go back to: those before it, in the form in which Flowise keeps them. */
export function loopTargets(doc: Doc, id: string): { value: string; label: string }[] {
  return before(doc, id).map((node) => ({ value: `${node.id}-${nodeLabel(node)}`, label: nodeLabel(node) }));
}

/** Where a Loop goes back to: the step that its target names. */
export function loopTarget(doc: Doc, node: FlowNode): string | null {
  if (nameOf(node) !== 'loopAgentflow') return null;
  const to = text(inputsOf(node).loopBackToNode);
  if (!to) return null;
  const found = doc.nodes.filter((one) => to === one.id || to.startsWith(`${one.id}-`));
  return found.sort((a, b) => b.id.length - a.id.length)[0]?.id ?? null;
}
