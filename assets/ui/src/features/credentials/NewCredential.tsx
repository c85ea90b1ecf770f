import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCredentialTypes, type CredentialType } from '../../api/credentials';
import { compareNames } from '../../core/format';
import { includesWords } from '../../core/words';
import { t } from '../../i18n';
import { Dialog, Loaded, SearchField } from '../../ui';
import css from './Credentials.module.css';
import { CredentialForm } from './CredentialForm';

/** First what it is for, then its fields. */
export function NewCredential({ onClose }: { onClose: () => void }): ReactNode {
  const types = useCredentialTypes();
  const [type, setType] = useState<CredentialType | null>(null);
  if (type) {
    return <CredentialForm key={type.name} type={type} onClose={onClose} onBack={() => setType(null)} />;
  }
  return (
    <Dialog open onClose={onClose} title={t('credentials.new')} description={t('credentials.pick')}>
      <Loaded query={types}>{(all) => <TypePicker types={all} onPick={setType} />}</Loaded>
    </Dialog>
  );
}

export interface TypePickerProps {
  types: readonly CredentialType[];
  onPick: (type: CredentialType) => void;
}

export function TypePicker({ types, onPick }: TypePickerProps): ReactNode {
  const [typed, setTyped] = useState('');
  const shown = types
    .filter((type) => includesWords([type.label, type.name], typed))
    .sort((a, b) => compareNames(a.label, b.label));
  return (
    <>
      <SearchField
        autoFocus
        className={css.searchTypes}
        label={t('credentials.searchTypes')}
        value={typed}
        onChange={setTyped}
      />
      {shown.length === 0 ? (
        <p className={css.none} role="status">
          {t('credentials.noTypes')}
        </p>
      ) : (
        <ul className={css.types}>
          {shown.map((type) => (
            <li key={type.name}>
              <button type="button" className={css.pick} onClick={() => onPick(type)}>
                <span className={css.letter} aria-hidden>
                  {[...type.label][0]}
                </span>
                <span className={css.label}>{type.label}</span>
                <ChevronRight size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
