import { emptyDoc, nodeIn, writeDoc, type Definition } from './doc';
import { addCard, addConnected, endOf, setInput } from './edit';

/** A chat canvas that answers from a document store. Its model is for the person to choose. */
export function retrievalCanvas(cards: readonly Definition[], store: string): string | null {
  const card = (name: string): Definition | undefined => cards.find((one) => one.name === name);
  const [search, chain] = [card('documentStoreVS'), card('conversationalRetrievalQAChain')];
  if (!search || !chain) return null;
  const first = addCard(emptyDoc(), chain, { x: 420, y: 120 });
  const node = nodeIn(first.doc, first.id);
  const place = node && endOf(node, 'vectorStoreRetriever', 'target');
  const both = place && addConnected(first.doc, place, search, { x: 0, y: 220 });
  return both ? writeDoc(setInput(both.doc, both.id, 'selectedStore', store)) : null;
}
