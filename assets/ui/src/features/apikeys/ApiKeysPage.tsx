import { KeyRound, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApiKeys, usePermissions, type ApiKey } from '../../api/apiKeys';
import { useCan } from '../../api/me';
import { t } from '../../i18n';
import {
  ListPage,
  OnceDialog,
  PermissionList,
  RelativeTime,
  rowLink,
  RowMenu,
  Table,
  type Column,
} from '../../ui';
import css from './ApiKeys.module.css';
import { DeleteKey } from './DeleteKey';
import { KeyForm } from './KeyForm';

type Open = { dialog: 'new' } | { dialog: 'edit' | 'delete' | 'once'; key: ApiKey };

/** The keys of the workspace. */
export default function ApiKeysPage(): ReactNode {
  const can = useCan();
  const keys = useApiKeys(can('apikeys:view'));
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const mayCreate = can('apikeys:create');
  return (
    <>
      <ListPage
        title={t('apiKeys.title')}
        description={t('apiKeys.description')}
        icon={KeyRound}
        query={keys}
        missing={!can('apikeys:view') && 'apikeys:view'}
        create={mayCreate && { label: t('apiKeys.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={!mayCreate && t('apiKeys.viewOnly', { permission: 'apikeys:create' })}
        empty={{ title: t('apiKeys.empty'), text: t('apiKeys.emptyText') }}
        search={{
          label: t('apiKeys.search'),
          words: (key) => [key.keyName, key.apiKey, ...key.chatFlows.map((flow) => flow.flowName)],
        }}
        found={(count) => t('apiKeys.found', { count })}
      >
        {(rows) => <KeyTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && (
        <KeyForm onClose={close} onMade={(key) => setOpen({ dialog: 'once', key })} />
      )}
      {open?.dialog === 'edit' && <KeyForm apiKey={open.key} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteKey apiKey={open.key} onClose={close} />}
      {open?.dialog === 'once' && (
        <OnceDialog
          title={t('apiKeys.onceTitle', { name: open.key.keyName })}
          text={t('apiKeys.once')}
          label={t('apiKeys.key')}
          value={open.key.apiKey}
          copy={t('apiKeys.copy')}
          stored={t('apiKeys.stored')}
          onDone={close}
        />
      )}
    </>
  );
}

interface KeyTableProps {
  rows: readonly ApiKey[];
  onOpen: (open: Open) => void;
}

function KeyTable({ rows, onOpen }: KeyTableProps): ReactNode {
  const can = useCan();
  const catalogue = usePermissions('API_KEY').data;
  const mayEdit = can('apikeys:create', 'apikeys:update');
  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: t('apiKeys.name'),
      cell: (key) =>
        mayEdit ? (
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'edit', key })}>
            {key.keyName}
          </button>
        ) : (
          key.keyName
        ),
    },
    { id: 'key', header: t('apiKeys.key'), wideOnly: true, cell: (key) => <code>{key.apiKey}</code> },
    {
      id: 'permissions',
      header: t('apiKeys.permissions'),
      cell: (key) => (
        <PermissionList permissions={key.permissions} name={key.keyName} catalogue={catalogue} />
      ),
    },
    {
      id: 'bound',
      header: t('apiKeys.bound'),
      wideOnly: true,
      cell: (key) =>
        key.chatFlows.length === 0 ? (
          <span className={css.muted}>{t('apiKeys.none')}</span>
        ) : (
          <span title={key.chatFlows.map((flow) => flow.flowName).join(', ')}>
            {t('apiKeys.boundCount', { count: key.chatFlows.length })}
          </span>
        ),
    },
    {
      id: 'usage',
      header: t('apiKeys.usage'),
      align: 'end',
      wideOnly: true,
      cell: (key) =>
        key.usage === 0 ? (
          <span className={css.muted}>{t('apiKeys.never')}</span>
        ) : (
          t('apiKeys.usageTimes', { count: key.usage })
        ),
    },
    {
      id: 'created',
      header: t('apiKeys.created'),
      align: 'end',
      wideOnly: true,
      cell: (key) => <RelativeTime date={key.createdDate} className={css.muted} />,
    },
    {
      id: 'menu',
      header: '',
      cell: (key) => (
        <RowMenu
          name={key.keyName}
          items={[
            {
              label: t('apiKeys.edit'),
              icon: Pencil,
              disabled: !mayEdit,
              ...(mayEdit ? {} : { hint: t('apiKeys.needs', { permission: 'apikeys:update' }) }),
              onSelect: () => onOpen({ dialog: 'edit', key }),
            },
            {
              label: t('apiKeys.delete'),
              icon: Trash2,
              danger: true,
              disabled: !can('apikeys:delete'),
              ...(can('apikeys:delete')
                ? {}
                : { hint: t('apiKeys.needs', { permission: 'apikeys:delete' }) }),
              onSelect: () => onOpen({ dialog: 'delete', key }),
            },
          ]}
        />
      ),
    },
  ];
  return <Table caption={t('apiKeys.title')} columns={columns} rows={rows} rowKey={(key) => key.id} />;
}
