import type { ComponentType } from 'react';
import type { CardFields, PickedCard } from '../../core/nodes';

/** What other features put into the page of a document store, loaded when it is first shown. */
export interface KnowledgeParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<CardFields>;
  /** A canvas that answers from the store. */
  canvasFor: (store: string) => Promise<string | null>;
}

/** The cards that make passages findable. */
export interface Chosen {
  embedding: PickedCard;
  store: PickedCard;
  records: PickedCard;
}
