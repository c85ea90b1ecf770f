import { createContext, use } from 'react';
import type { Card, CardParam } from '../../../api/cards';
import type { Json } from '../../../core/nodes';
import type { StateTypes } from '../code/names';
import type { Offer } from '../document/references';
import type { NewCredentialProps } from '../slots';
import type { ComponentType } from 'react';

/** What fields know of the card and the canvas around them. */
export interface Panel {
  node: string;
  /** Kept as it is: nobody may change it here. */
  readOnly: boolean;
  /** Every card by name. */
  cards: ReadonlyMap<string, Card>;
  /** What a text may name; with the card's own output where that can be named too. */
  offers: (output: boolean) => readonly Offer[];
  /** The state of the flow by key, with the type of what it begins with. */
  state: StateTypes;
  loopTargets: readonly { value: string; label: string }[];
  /** Names of inputs that a request may change. */
  overridable: ReadonlySet<string>;
  /** Makes a credential in place; null for who may not. */
  NewCredential: ComponentType<NewCredentialProps> | null;
}

export const PanelContext = createContext<Panel | null>(null);

export function usePanel(): Panel {
  const panel = use(PanelContext);
  if (!panel) throw new Error('There is no panel around this field.');
  return panel;
}

/** Where a field's value stands, and what it is shown by. */
export interface Scope {
  /** The card whose fields these are: lists of choices are asked for by its name. */
  card: string;
  values: Json;
  change: (patch: Json) => void;
  /** What conditions are judged by, where that is not the values themselves. */
  around: Json;
  row: number | null;
  /** The name of the list that this is a row of. */
  list: string | null;
  credential: string;
  /** They are settings of a card that the card picked: no request changes those. */
  picked?: true;
  /** What is wrong with the fields, by name. */
  faults?: ReadonlyMap<string, string> | undefined;
}

export interface FieldProps {
  param: CardParam;
  scope: Scope;
}

/** Whether a request may change this input: one of the card itself, that its owner listed. */
export const isOverridable = (panel: Panel, { param, scope }: FieldProps): boolean =>
  scope.list === null && !scope.picked && panel.overridable.has(param.name);
