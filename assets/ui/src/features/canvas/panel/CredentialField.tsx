import { Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCredentials } from '../../../api/credentials';
import { Button, Combobox } from '../../../ui';
import { t } from '../words';
import { usePanel, type FieldProps } from './context';
import { asText } from './values';

/** The credential of a card: one of the kinds it takes, or a new one, made here. */
export function CredentialField({ param, scope }: FieldProps): ReactNode {
  const { readOnly, NewCredential } = usePanel();
  const [making, setMaking] = useState(false);
  const kinds = param.credentialNames ?? [];
  const stored = useCredentials();
  const fitting = (stored.data ?? []).filter((one) => kinds.includes(one.credentialName));
  const value = asText(scope.values[param.name]);
  const options = fitting.map((one) => ({ value: one.id, label: one.name }));
  const strange = value && stored.data && !options.some((one) => one.value === value);
  return (
    <>
      <Combobox
        value={value}
        onChange={(id) => scope.change({ [param.name]: id })}
        options={[
          ...(value ? [{ value: '', label: t('editor.noCredential') }] : []),
          ...options,
          ...(strange ? [{ value, label: t('editor.lostCredential') }] : []),
        ]}
        disabled={readOnly}
        loading={stored.isLoading}
        failure={stored.error?.message ?? null}
        footer={
          NewCredential && (
            <Button size="compact" variant="ghost" icon={Plus} onClick={() => setMaking(true)}>
              {t('editor.newCredential')}
            </Button>
          )
        }
      />
      {making && NewCredential && (
        <NewCredential
          kinds={kinds}
          onClose={() => setMaking(false)}
          onMade={(id) => scope.change({ [param.name]: id })}
        />
      )}
    </>
  );
}
