import type { ComponentType } from 'react';
import type { CardFields, PickedCard } from '../../core/nodes';
import type { Recipe } from '../../core/recipe';

/** What other features put into the gallery, loaded when it is first needed. */
export interface TemplateParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<CardFields>;
  /** A canvas that is only looked at. */
  Canvas: ComponentType<{ flowData: string; label: string }>;
  /** Draws a recipe around a model. */
  draw: (recipe: Recipe, model: PickedCard) => Promise<string>;
}
