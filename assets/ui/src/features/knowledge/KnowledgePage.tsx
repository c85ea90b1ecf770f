import { Library, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useMissingPermissions } from '../../api/me';
import { useStores, type Store } from '../../api/stores';
import { number } from '../../core/format';
import { ListPage, RowMenu, rowLink, Table, updatedColumn, type Column } from '../../ui';
import { DeleteStore } from './DeleteStore';
import css from './Knowledge.module.css';
import { StateBadge } from './state';
import { StoreForm } from './StoreForm';
import { t } from './words';

type Open = { dialog: 'new' } | { dialog: 'rename' | 'delete'; store: Store };

/** The document stores of the workspace. */
export default function KnowledgePage(): ReactNode {
  const missing = useMissingPermissions('documentStores');
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const close = (): void => setOpen(null);
  const lacks = (permission: string | null): { disabled?: boolean; hint?: string } =>
    permission === null ? {} : { disabled: true, hint: t('kit.needs', { permission }) };
  const columns: Column<Store>[] = [
    {
      id: 'name',
      header: t('kit.name'),
      cell: (store) => (
        <span className={css.name}>
          <Link href={`/knowledge/${store.id}`} className={rowLink}>
            {store.name}
          </Link>
          {store.description && <span className={css.about}>{store.description}</span>}
        </span>
      ),
    },
    {
      id: 'state',
      header: t('knowledge.state'),
      width: '170px',
      cell: ({ status }) => <StateBadge state={status} />,
    },
    {
      id: 'documents',
      header: t('knowledge.documents'),
      align: 'end',
      wideOnly: true,
      cell: (store) => number(store.loaders.length),
    },
    {
      id: 'passages',
      header: t('knowledge.passages'),
      align: 'end',
      wideOnly: true,
      cell: (store) => number(store.totalChunks),
    },
    {
      id: 'characters',
      header: t('knowledge.characters'),
      align: 'end',
      wideOnly: true,
      cell: (store) => number(store.totalChars),
    },
    updatedColumn(),
    {
      id: 'menu',
      header: '',
      cell: (store) => (
        <RowMenu
          name={store.name}
          items={[
            {
              label: t('knowledge.rename'),
              icon: Pencil,
              ...lacks(missing.update),
              onSelect: () => setOpen({ dialog: 'rename', store }),
            },
            {
              label: t('knowledge.delete'),
              icon: Trash2,
              danger: true,
              ...lacks(missing.delete),
              onSelect: () => setOpen({ dialog: 'delete', store }),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <ListPage
        title={t('knowledge.title')}
        description={t('knowledge.description')}
        icon={Library}
        query={useStores(!missing.view)}
        missing={missing.view ?? false}
        create={!missing.create && { label: t('knowledge.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={
          missing.create !== null &&
          t('kit.viewOnly', { things: t('knowledge.things'), permission: missing.create })
        }
        empty={{ title: t('knowledge.empty'), text: t('knowledge.emptyText') }}
        search={{ label: t('knowledge.searchStores'), words: ({ name, description }) => [name, description] }}
        found={(count) => t('knowledge.found', { count })}
      >
        {(rows) => (
          <Table caption={t('knowledge.title')} columns={columns} rows={rows} rowKey={({ id }) => id} />
        )}
      </ListPage>
      {open?.dialog === 'new' && (
        <StoreForm store={null} onClose={close} onDone={(id) => go(`/knowledge/${id}`)} />
      )}
      {open?.dialog === 'rename' && <StoreForm store={open.store} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteStore store={open.store} onClose={close} />}
    </>
  );
}
