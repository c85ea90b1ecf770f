import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  useCredentials,
  useCredentialTypes,
  useDeleteCredential,
  type Credential,
  type CredentialType,
} from '../../api/credentials';
import { useMissingPermissions } from '../../api/me';
import { useUsedBy } from '../../api/usedBy';
import { compareNames } from '../../core/format';
import { t } from '../../i18n';
import { ResourcePage, Select, updatedColumn, useAddress, usedByColumn } from '../../ui';
import css from './Credentials.module.css';
import { EditCredential } from './EditCredential';
import { NewCredential } from './NewCredential';
import './words';

/** The credentials of the workspace. */
export default function CredentialsPage(): ReactNode {
  const missing = useMissingPermissions('credentials');
  const credentials = useCredentials(!missing.view);
  const types = useCredentialTypes(!missing.view).data;
  const usedBy = useUsedBy('credentials', !missing.view).data;
  const { read, put } = useAddress();
  const type = read('type');
  const used = [...new Set(credentials.data?.map((one) => one.credentialName))]
    .map((name) => ({ value: name, label: typeLabel(types, name) }))
    .sort((a, b) => compareNames(a.label, b.label));
  return (
    <ResourcePage
      texts="credentials"
      icon={LockKeyhole}
      query={credentials}
      missing={missing}
      name={(row) => row.name}
      words={(row) => [row.name, typeLabel(types, row.credentialName), row.credentialName]}
      filters={{
        names: ['type'],
        pass: (row) => !type || row.credentialName === type,
        tools: (used.length > 1 || type) && (
          <Select
            className={css.filter}
            aria-label={t('credentials.type')}
            value={type}
            onChange={(next) => put({ type: next })}
            options={[{ value: '', label: t('credentials.allTypes') }, ...used]}
          />
        ),
      }}
      columns={[
        {
          id: 'type',
          header: t('credentials.type'),
          cell: (row) => typeLabel(types, row.credentialName),
        },
        ...usedByColumn(usedBy, (row: Credential) => row.id),
        updatedColumn(),
      ]}
      remove={useDeleteCredential()}
      affected={{ text: t('credentials.deleteUsed'), flows: (row) => usedBy?.[row.id] }}
      form={(row, close) =>
        row ? <EditCredential credential={row} onClose={close} /> : <NewCredential onClose={close} />
      }
    />
  );
}

const typeLabel = (types: readonly CredentialType[] | undefined, name: string): string =>
  types?.find((type) => type.name === name)?.label ?? name;
