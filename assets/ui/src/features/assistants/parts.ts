import type { ComponentType, ReactNode } from 'react';
import type { Flow } from '../../api/models';
import type { FlowEdits } from '../../core/editing';
import type { CardFields } from '../../core/nodes';

/** What other features put into the form of an assistant, loaded when it is first shown. */
export interface AssistantParts {
  /** The settings of a card, with the fields of the canvas. */
  CardSettings: ComponentType<CardFields>;
}

export interface AssistantFlowProps {
  flow: Flow;
  mayEdit: boolean;
  parts: AssistantParts;
  /** Draws the page of the flow around the form. */
  children: (told: FlowEdits & { form: ReactNode }) => ReactNode;
}
