import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Field, Input, PasswordInput } from '../../ui';
import { PASSWORD_MIN } from './rules';

interface FieldProps {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** What somebody is called; the first thing a new account asks for. */
export function NameField({ value, error, onChange }: FieldProps): ReactNode {
  return (
    <Field label={t('auth.name')} error={error}>
      <Input autoFocus autoComplete="name" value={value} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

/** A password that is chosen here, with how long it must be. */
export function NewPasswordField(props: FieldProps & { label: string; autoFocus?: boolean }): ReactNode {
  const { label, value, error, onChange, autoFocus } = props;
  return (
    <Field label={label} error={error} help={t('auth.passwordHelp', { count: PASSWORD_MIN })}>
      <PasswordInput
        autoFocus={autoFocus}
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
