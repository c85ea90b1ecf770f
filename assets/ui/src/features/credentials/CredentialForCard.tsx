import { useState, type ReactNode } from 'react';
import { useCredentialTypes, type CredentialType } from '../../api/credentials';
import { t } from '../../i18n';
import { Dialog, Loaded } from '../../ui';
import { CredentialForm } from './CredentialForm';
import { TypePicker } from './NewCredential';
import './words';

export interface CredentialForCardProps {
  /** The kinds that a card takes. */
  kinds: readonly string[];
  /** What it has to be called. */
  name?: string;
  onClose: () => void;
  onMade: (id: string) => void;
}

/** Makes a credential for a card, in place: with one kind to choose from, its fields come first. */
export default function CredentialForCard({
  kinds,
  name,
  onClose,
  onMade,
}: CredentialForCardProps): ReactNode {
  const types = useCredentialTypes();
  const [chosen, choose] = useState<CredentialType | null>(null);
  const fitting = (types.data ?? []).filter((type) => kinds.includes(type.name));
  const type = chosen ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (type)
    return (
      <CredentialForm
        key={type.name}
        type={type}
        onClose={onClose}
        onMade={onMade}
        {...(name === undefined ? {} : { name })}
        {...(fitting.length > 1 ? { onBack: () => choose(null) } : {})}
      />
    );
  return (
    <Dialog open onClose={onClose} title={t('credentials.new')} description={t('credentials.pick')}>
      <Loaded query={types}>{() => <TypePicker types={fitting} onPick={choose} />}</Loaded>
    </Dialog>
  );
}
