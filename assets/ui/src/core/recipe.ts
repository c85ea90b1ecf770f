import type { Json } from './nodes';

/** What stands in a recipe for the chat model that the person chooses. */
export const MODEL = '$model';

/** A card of a recipe. */
export interface RecipeCard {
  /** What other cards of the recipe call it. */
  id: string;
  /** Its name among the cards of the service, or `MODEL`. */
  card: string;
  label?: string;
  /** What it is set to; `MODEL` as a value picks the chosen model. */
  inputs?: Json;
  /** Which cards it leads to: by which place of a card, or by which of its own outputs for a step (the first one being 0). */
  to?: readonly (readonly [card: string, place: string | number])[];
  /** The iteration that it lies in. */
  inside?: string;
}

/** A flow to begin with, told and not drawn: the page draws it with the cards as the service knows them. */
export interface Recipe {
  type: 'CHATFLOW' | 'AGENTFLOW' | 'HARNESS' | 'ETL';
  cards: readonly RecipeCard[];
}
