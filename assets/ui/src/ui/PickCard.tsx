import type { ComponentType, ReactNode } from 'react';
import type { CardFields, PickedCard } from '../core/nodes';
import { Combobox } from './Combobox';
import { Field } from './Field';

export interface PickCardProps {
  label: string;
  help?: ReactNode;
  error?: string | null;
  /** Those it is picked from; nothing while they are on their way. */
  cards: readonly { name: string; label: string }[] | undefined;
  /** Why they could not be loaded. */
  failure: string | null;
  /** What stands for none of them. */
  none?: string;
  picked: PickedCard;
  onPick: (picked: PickedCard) => void;
  readOnly: boolean;
  /** Draws the settings of the one that was picked. */
  Settings: ComponentType<CardFields>;
  without?: readonly string[];
}

/** A card picked from a list, with its settings below it. */
export function PickCard(props: PickCardProps): ReactNode {
  const { label, help, error, cards, failure, none, picked, onPick, readOnly, Settings, without } = props;
  return (
    <>
      <Field label={label} help={help} error={error ?? null}>
        <Combobox
          value={picked.name}
          onChange={(name) => onPick({ name, config: {} })}
          options={[
            ...(none ? [{ value: '', label: none }] : []),
            ...(cards ?? []).map((one) => ({ value: one.name, label: one.label })),
          ]}
          loading={!cards && !failure}
          failure={failure}
          disabled={readOnly}
        />
      </Field>
      {picked.name && (
        <Settings
          key={picked.name}
          card={picked.name}
          values={picked.config}
          onChange={(config) => onPick({ ...picked, config })}
          readOnly={readOnly}
          {...(without ? { without } : {})}
        />
      )}
    </>
  );
}
