import type { ReactNode } from 'react';
import { t } from '../i18n';
import { Field, Input } from './Field';
import { PasswordInput } from './PasswordInput';
import type { FormField } from './useForm';

/** The service refuses shorter ones, and says why it refuses others. */
const PASSWORD_MIN = 8;

interface TextProps extends FormField<string> {
  label: string;
  autoFocus?: boolean;
}

/** The address that somebody signs in with. */
export function EmailField({ error, onChange, label, ...input }: TextProps & { name?: string }): ReactNode {
  return (
    <Field label={label} error={error}>
      <Input
        {...input}
        type="email"
        autoComplete="username"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

interface PasswordProps extends TextProps {
  name?: string;
  /** Beside the label. */
  aside?: ReactNode;
}

/** The password that somebody has. */
export function PasswordField({ error, onChange, label, aside, ...input }: PasswordProps): ReactNode {
  return (
    <Field label={label} error={error} aside={aside}>
      <PasswordInput
        {...input}
        autoComplete="current-password"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** A password that is chosen here, with how long it must be. */
export function NewPasswordField({ error, onChange, label, ...input }: TextProps): ReactNode {
  return (
    <Field label={label} error={error} help={t('auth.passwordHelp', { count: PASSWORD_MIN })}>
      <PasswordInput
        {...input}
        autoComplete="new-password"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
