import type { ReactNode } from 'react';
import type { Json } from '../../../core/nodes';
import { TooltipProvider } from '../../../ui';
import { PanelContext, type Panel, type Scope } from './context';

const panel: Panel = {
  node: 'card_0',
  readOnly: false,
  cards: new Map(),
  offers: () => [],
  state: new Map(),
  loopTargets: [],
  overridable: new Set(),
  NewCredential: null,
};

/** The panel of a card around one of its fields, for tests. */
export const InPanel = ({ children }: { children: ReactNode }): ReactNode => (
  <TooltipProvider>
    <PanelContext value={panel}>{children}</PanelContext>
  </TooltipProvider>
);

/** Where the fields of a card stand that is set to these values. */
export const scopeOf = (values: Json, change: Scope['change'] = () => undefined): Scope => ({
  card: 'card',
  values,
  change,
  around: values,
  row: null,
  list: null,
  credential: '',
});
