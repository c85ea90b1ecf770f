import type { ComponentType } from 'react';
import type { FlowSummary } from '../../api/models';
import type { Store } from '../../api/stores';
import type { CardFields, PickedCard } from '../../core/nodes';

/** What other features put into the page of a document store, loaded when it is first shown. */
export interface KnowledgeParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<CardFields>;
  /** A canvas that answers from the store. */
  canvasFor: (store: string) => Promise<string | null>;
  /** Puts a store to use in the draft of a flow; what failed is thrown. */
  putToUse: (store: Store, flow: FlowSummary) => Promise<PutToUse>;
}

export interface PutToUse {
  /** The card that searches it. */
  node: string;
  /** Nothing on the canvas takes what it finds. */
  loose: boolean;
}

/** The cards that make passages findable. */
export interface Chosen {
  embedding: PickedCard;
  store: PickedCard;
  records: PickedCard;
}
