import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Field, Input, type FormField } from '../../ui';

/** What somebody is called; the first thing a new account asks for. */
export function NameField({ value, error, onChange }: FormField<string>): ReactNode {
  return (
    <Field label={t('auth.name')} error={error}>
      <Input autoFocus autoComplete="name" value={value} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}
