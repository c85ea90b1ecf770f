import { LockKeyhole, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import {
  useCredentials,
  useCredentialTypes,
  type Credential,
  type CredentialType,
} from '../../api/credentials';
import { useCan } from '../../api/me';
import { useUsedBy } from '../../api/usedBy';
import { compareNames } from '../../core/format';
import { t } from '../../i18n';
import {
  ListPage,
  rowLink,
  RowMenu,
  Select,
  Table,
  useAddress,
  updatedColumn,
  usedByColumn,
  type Column,
} from '../../ui';
import css from './Credentials.module.css';
import { DeleteCredential } from './DeleteCredential';
import { EditCredential } from './EditCredential';
import { NewCredential } from './NewCredential';

type Open = { dialog: 'new' } | { dialog: 'edit' | 'delete'; credential: Credential };

/** The credentials of the workspace. */
export default function CredentialsPage(): ReactNode {
  const can = useCan();
  const maySee = can('credentials:view');
  const mayCreate = can('credentials:create');
  const credentials = useCredentials(maySee);
  const types = useCredentialTypes(maySee).data;
  const { read, put } = useAddress();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const type = read('type');
  const used = [...new Set(credentials.data?.map((one) => one.credentialName))]
    .map((name) => ({ value: name, label: typeLabel(types, name) }))
    .sort((a, b) => compareNames(a.label, b.label));
  return (
    <>
      <ListPage
        title={t('credentials.title')}
        description={t('credentials.description')}
        icon={LockKeyhole}
        query={credentials}
        missing={!maySee && 'credentials:view'}
        create={mayCreate && { label: t('credentials.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={!mayCreate && t('credentials.viewOnly', { permission: 'credentials:create' })}
        empty={{ title: t('credentials.empty'), text: t('credentials.emptyText') }}
        search={{
          label: t('credentials.search'),
          words: (one) => [one.name, typeLabel(types, one.credentialName), one.credentialName],
        }}
        filters={{
          names: ['type'],
          pass: (one) => !type || one.credentialName === type,
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
        found={(count) => t('credentials.found', { count })}
      >
        {(rows) => <CredentialTable rows={rows} types={types} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && <NewCredential onClose={close} />}
      {open?.dialog === 'edit' && <EditCredential credential={open.credential} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteCredential credential={open.credential} onClose={close} />}
    </>
  );
}

export const typeLabel = (types: readonly CredentialType[] | undefined, name: string): string =>
  types?.find((type) => type.name === name)?.label ?? name;

interface CredentialTableProps {
  rows: readonly Credential[];
  types: readonly CredentialType[] | undefined;
  onOpen: (open: Open) => void;
}

function CredentialTable({ rows, types, onOpen }: CredentialTableProps): ReactNode {
  const can = useCan();
  const usedBy = useUsedBy('credentials').data;
  const mayEdit = can('credentials:create', 'credentials:update');
  const mayDelete = can('credentials:delete');
  const columns: Column<Credential>[] = [
    {
      id: 'name',
      header: t('credentials.name'),
      cell: (credential) =>
        mayEdit ? (
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'edit', credential })}>
            {credential.name}
          </button>
        ) : (
          credential.name
        ),
    },
    {
      id: 'type',
      header: t('credentials.type'),
      cell: (credential) => typeLabel(types, credential.credentialName),
    },
    ...usedByColumn<Credential>(t('credentials.usedBy'), usedBy, (row) => row.id),
    updatedColumn(t('credentials.updated'), css.muted),
    {
      id: 'menu',
      header: '',
      cell: (credential) => (
        <RowMenu
          name={credential.name}
          items={[
            {
              label: t('credentials.edit'),
              icon: Pencil,
              disabled: !mayEdit,
              ...(mayEdit ? {} : { hint: t('credentials.needs', { permission: 'credentials:update' }) }),
              onSelect: () => onOpen({ dialog: 'edit', credential }),
            },
            {
              label: t('credentials.delete'),
              icon: Trash2,
              danger: true,
              disabled: !mayDelete,
              ...(mayDelete ? {} : { hint: t('credentials.needs', { permission: 'credentials:delete' }) }),
              onSelect: () => onOpen({ dialog: 'delete', credential }),
            },
          ]}
        />
      ),
    },
  ];
  return <Table caption={t('credentials.title')} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}
