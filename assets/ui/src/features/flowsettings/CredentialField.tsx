import type { ReactNode } from 'react';
import { useCredentialNames } from '../../api/flowsettings';
import { t } from '../../i18n';
import { Combobox, Field } from '../../ui';

export interface CredentialFieldProps {
  value: string;
  onChange: (id: string) => void;
  /** Kinds of credential that fit. */
  kinds: readonly string[];
}

export function CredentialField({ value, onChange, kinds }: CredentialFieldProps): ReactNode {
  const names = useCredentialNames();
  const fitting = (names.data ?? []).filter((one) => kinds.includes(one.credentialName));
  const options = fitting.map((one) => ({ value: one.id, label: one.name }));
  const lost = value !== '' && names.data && !options.some((one) => one.value === value);
  const help =
    names.data === null
      ? t('flowsettings.noCredentialRight')
      : options.length === 0 && names.data
        ? t('flowsettings.noCredential')
        : undefined;
  return (
    <Field
      label={t('flowsettings.credential')}
      help={help}
      error={lost ? t('flowsettings.credentialLost') : null}
    >
      <Combobox
        value={lost ? '' : value}
        onChange={onChange}
        options={options}
        loading={names.isPending}
        failure={names.error?.message ?? null}
      />
    </Field>
  );
}
