import type { ComponentType } from 'react';
import type { Json } from '../../core/nodes';

/** What other features put into the page of a document store, loaded when it is first shown. */
export interface KnowledgeParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<{
    card: string;
    values: Json;
    onChange: (values: Json) => void;
    readOnly?: boolean;
    without?: readonly string[];
  }>;
  /** A canvas that answers from the store. */
  canvasFor: (store: string) => Promise<string | null>;
}

/** A card that was picked, and how it is set. */
export interface Picked {
  name: string;
  config: Json;
}

/** The cards that make passages findable. */
export interface Chosen {
  embedding: Picked;
  store: Picked;
  records: Picked;
}
