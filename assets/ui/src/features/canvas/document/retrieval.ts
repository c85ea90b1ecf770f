import type { FlowNode, Point } from '../../../core/flowdata';
import { isNote } from '../../../core/nodes';
import {
  emptyDoc,
  inputsOf,
  isStep,
  nameOf,
  nodeIn,
  objects,
  rowsOf,
  text,
  writeDoc,
  type CanvasKind,
  type Definition,
  type Doc,
} from './doc';
import { addCard, addConnected, endOf, insertOnEdge, setInput, type Added } from './edit';
import type { End } from './rules';

type Cards = readonly Definition[];

const cardIn = (cards: Cards, name: string): Definition | undefined => cards.find((one) => one.name === name);

/** A chat canvas that answers from a document store. Its model is for the person to choose. */
export function retrievalCanvas(cards: Cards, store: string): string | null {
  const [search, chain] = [cardIn(cards, 'documentStoreVS'), cardIn(cards, 'conversationalRetrievalQAChain')];
  if (!search || !chain) return null;
  const first = addCard(emptyDoc(), chain, { x: 420, y: 120 });
  const node = nodeIn(first.doc, first.id);
  const place = node && endOf(node, 'vectorStoreRetriever', 'target');
  const both = place && addConnected(first.doc, place, search, { x: 0, y: 220 });
  return both ? writeDoc(setInput(both.doc, both.id, 'selectedStore', store)) : null;
}

/** A document store, as a canvas that is to search it knows it. */
export interface UsedStore {
  id: string;
  name: string;
  description: string;
}

export interface Used extends Added {
  /** Nothing on the canvas takes what the new card finds: a person has to connect it. */
  loose: boolean;
}

/** Puts a document store to use on a canvas: where an answer comes from, in the place that is free for it. */
export function putStoreToUse(doc: Doc, kind: CanvasKind, cards: Cards, store: UsedStore): Used | null {
  return kind === 'steps' ? inSteps(doc, cards, store) : inCards(doc, cards, store);
}

/** An agent searches the store by itself; without one a step searches it before anything else is done. */
function inSteps(doc: Doc, cards: Cards, store: UsedStore): Used | null {
  const knowledge = 'agentKnowledgeDocumentStores';
  const agent = doc.nodes.find((node) => nameOf(node) === 'agentAgentflow');
  if (agent) {
    const rows = rowsOf(inputsOf(agent)[knowledge]);
    if (rows.some((row) => text(row.documentStore).startsWith(store.id)))
      return { doc, id: agent.id, loose: false };
    const row = {
      documentStore: store.id,
      docStoreDescription: store.description || store.name,
      returnSourceDocuments: true,
    };
    const card = cardIn(cards, 'agentAgentflow');
    return { doc: setInput(doc, agent.id, knowledge, [...rows, row], card), id: agent.id, loose: false };
  }
  const card = cardIn(cards, 'retrieverAgentflow');
  if (!card) return null;
  const start = doc.nodes.find((node) => nameOf(node) === 'startAgentflow');
  const first = start && doc.edges.find((edge) => edge.source === start.id);
  const to = first && nodeIn(doc, first.target);
  const from = start && endOf(start, 'startAgentflow', 'source');
  const added =
    first && start && to
      ? insertOnEdge(doc, first.id, card, between(start, to))
      : from && addConnected(doc, from, card, beside(start));
  const put = added ?? addCard(doc, card, below(doc));
  const set = setInput(
    put.doc,
    put.id,
    'retrieverKnowledgeDocumentStores',
    [{ documentStore: store.id }],
    card,
  );
  return { doc: setInput(set, put.id, 'retrieverQuery', '{{question}}', card), id: put.id, loose: !added };
}

/** A chain takes the store as it is, an agent as a tool. */
function inCards(doc: Doc, cards: Cards, store: UsedStore): Used | null {
  const [search, tool] = [cardIn(cards, 'documentStoreVS'), cardIn(cards, 'retrieverTool')];
  if (!search) return null;
  const chosen = (added: Added): Used => ({
    doc: setInput(added.doc, added.id, 'selectedStore', store.id, search),
    id: added.id,
    loose: false,
  });
  for (const node of doc.nodes.filter((one) => !isStep(one) && !isNote(one))) {
    const end = placeFor(doc, node, 'BaseRetriever');
    const added = end && addConnected(doc, end, search, beside(node, -1));
    if (added) return chosen(added);
  }
  for (const node of doc.nodes.filter((one) => one.data.category === 'Agents')) {
    const end = placeFor(doc, node, 'Tool');
    const first = end && tool && addConnected(doc, end, tool, beside(node, -1));
    const asked = first && nodeIn(first.doc, first.id);
    const place = asked && endOf(asked, 'retriever', 'target');
    const both = place && addConnected(first.doc, place, search, beside(asked, -1));
    if (!both) continue;
    const named = setInput(both.doc, first.id, 'name', toolName(store.name), tool);
    const told = setInput(named, first.id, 'description', store.description || store.name, tool);
    return chosen({ doc: told, id: both.id });
  }
  return { ...chosen(addCard(doc, search, below(doc))), loose: true };
}

/** The place of a card for what is of this type, while it is free. */
function placeFor(doc: Doc, node: FlowNode, type: string): End | null {
  const anchor = objects(node.data.inputAnchors).find((one) => one.type === type);
  if (!anchor || !text(anchor.id)) return null;
  const end: End = { node: node.id, handle: text(anchor.id), side: 'target' };
  const taken = doc.edges.some((edge) => edge.target === node.id && edge.targetHandle === end.handle);
  return taken && anchor.list !== true ? null : end;
}

/** Models take tools by small letters and underscores. */
const toolName = (store: string): string =>
  `search_${store
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')}`.slice(0, 60);

const STEP_ASIDE = 340;

function beside({ position: { x, y } }: FlowNode, way: 1 | -1 = 1): Point {
  return { x: x + way * STEP_ASIDE, y: y + 60 };
}

function between({ position: a }: FlowNode, { position: b }: FlowNode): Point {
  return { x: Math.round((a.x + b.x) / 2), y: Math.round((a.y + b.y) / 2) + 100 };
}

function below(doc: Doc): Point {
  const left = Math.min(...doc.nodes.map((node) => node.position.x));
  const last = Math.max(...doc.nodes.map((node) => node.position.y));
  return { x: doc.nodes.length > 0 ? left : 0, y: doc.nodes.length > 0 ? last + 260 : 0 };
}
