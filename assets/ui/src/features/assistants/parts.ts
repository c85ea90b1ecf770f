import type { ComponentType, ReactNode } from 'react';
import type { Flow } from '../../api/models';
import type { CardFields } from '../../core/nodes';
import type { SavedState } from './useAssistantForm';

/** What other features put into the form of an assistant, loaded when it is first shown. */
export interface AssistantParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<CardFields>;
}

/** The form of an assistant, and how what is typed in it stands. */
export interface Told {
  form: ReactNode;
  state: SavedState;
  unsaved: boolean;
  save: () => Promise<boolean>;
  drop: () => void;
}

export interface AssistantFlowProps {
  flow: Flow;
  mayEdit: boolean;
  parts: AssistantParts;
  /** Draws the page of the flow around the form. */
  children: (told: Told) => ReactNode;
}
