import type { ReactNode } from 'react';
import type { CredentialField } from '../../api/credentials';
import { isHidden } from '../../core/hidden';
import { t } from '../../i18n';
import { Button, Checkbox, Field, Input, Select } from '../../ui';
import type { Entry } from './fields';

export interface CredentialInputProps {
  field: CredentialField;
  entry: Entry;
  stored: unknown;
  error: string | undefined;
  onChange: (entry: Entry) => void;
}

/** One field of a credential, as its type asks for it. */
export function CredentialInput({ field, entry, stored, error, onChange }: CredentialInputProps): ReactNode {
  const type = (text: string): void => onChange({ ...entry, text, touched: true, removed: false });
  const hidden = isHidden(stored) && !entry.touched;
  if (field.type === 'boolean') {
    return (
      <Checkbox
        label={field.label}
        checked={entry.on}
        onChange={(on) => onChange({ ...entry, on, touched: true })}
      />
    );
  }
  return (
    <Field
      label={field.label}
      error={error}
      help={helpOf(field, entry, hidden)}
      optional={Boolean(field.optional)}
      required={field.type === 'password' && !field.optional}
      aside={
        isHidden(stored) &&
        field.optional && (
          <Button
            variant="ghost"
            size="compact"
            onClick={() => onChange({ text: '', on: false, touched: false, removed: !entry.removed })}
          >
            {t(entry.removed ? 'credentials.putBack' : 'credentials.remove')}
          </Button>
        )
      }
    >
      <Control field={field} entry={entry} hidden={hidden} shown={stored} onType={type} />
    </Field>
  );
}

function helpOf(field: CredentialField, entry: Entry, hidden: boolean): ReactNode {
  if (entry.removed) return t('credentials.removed');
  if (hidden && field.type === 'url') return t('credentials.keepUrl');
  return null;
}

interface ControlProps {
  field: CredentialField;
  entry: Entry;
  hidden: boolean;
  shown: unknown;
  onType: (text: string) => void;
}

function Control({ field, entry, hidden, shown, onType }: ControlProps): ReactNode {
  const { text, removed } = entry;
  if (field.type === 'options') {
    return (
      <Select
        value={text}
        onChange={onType}
        placeholder={t('kit.choose')}
        options={(field.options ?? []).map(({ label, name, description }) => ({
          value: name,
          label,
          ...(description ? { description } : {}),
        }))}
      />
    );
  }
  const kept = hidden && !removed ? (field.type === 'url' ? String(shown) : t('credentials.keepStored')) : '';
  return (
    <Input
      type={field.type === 'password' ? 'password' : 'text'}
      inputMode={field.type === 'number' ? 'numeric' : field.type === 'url' ? 'url' : undefined}
      // Secrets of services are not passwords of this page: browsers should not offer to keep them.
      autoComplete={field.type === 'password' ? 'new-password' : 'off'}
      spellCheck={false}
      value={text}
      placeholder={kept}
      onChange={(event) => onType(event.target.value)}
    />
  );
}
