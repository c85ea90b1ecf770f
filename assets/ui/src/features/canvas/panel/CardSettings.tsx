import { useMemo, type ReactNode } from 'react';
import { useCards } from '../../../api/cards';
import { useCan } from '../../../api/me';
import type { CardFields } from '../../../core/nodes';
import { Skeleton } from '../../../ui';
import type { NewCredentialProps } from '../slots';
import { defaultOf } from '../document/definition';
import { PanelContext, type Panel, type Scope } from './context';
import { ParamFields } from './ParamFields';
import type { ComponentType } from 'react';

export interface CardSettingsProps extends CardFields {
  NewCredential: ComponentType<NewCredentialProps>;
}

/** The settings of a card that stands on no canvas, with the same fields as there. */
export default function CardSettings(props: CardSettingsProps): ReactNode {
  const { card: name, values, onChange, readOnly = false, without = none, NewCredential } = props;
  const all = useCards().data;
  const can = useCan();
  const mayMake = can('credentials:create');
  const panel = useMemo<Panel>(
    () => ({
      node: '',
      readOnly,
      cards: new Map((all ?? []).map((one) => [one.name, one])),
      offers: () => [],
      state: new Map(),
      loopTargets: [],
      overridable: new Set(),
      NewCredential: mayMake ? NewCredential : null,
    }),
    [all, readOnly, mayMake, NewCredential],
  );
  const card = panel.cards.get(name);
  if (!card) return all ? null : <Skeleton lines={3} />;
  const params = [...(card.credential ? [card.credential] : []), ...card.inputs].filter(
    (one) => !without.includes(one.name),
  );
  // What is not set is what the card says for a start.
  const set = { ...Object.fromEntries(params.map((one) => [one.name, defaultOf(one)])), ...values };
  const credential = typeof values.credential === 'string' ? values.credential : '';
  const scope: Scope = {
    card: name,
    values: set,
    around: set,
    row: null,
    list: null,
    credential,
    change: (patch) => onChange({ ...values, ...patch }),
  };
  return (
    <PanelContext value={panel}>
      <ParamFields params={params} scope={scope} />
    </PanelContext>
  );
}

const none: readonly string[] = [];
