import { Library, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useMissingPermissions } from '../../api/me';
import { useStores, type Store } from '../../api/stores';
import { useUsedBy } from '../../api/usedBy';
import { number } from '../../core/format';
import {
  later,
  ListPage,
  numberColumn,
  RowMenu,
  rowLink,
  Table,
  Tabs,
  updatedColumn,
  useAddress,
  usedByColumn,
  type Column,
} from '../../ui';
import { DeleteStore } from './DeleteStore';
import css from './Knowledge.module.css';
import { StateBadge } from './state';
import { t } from './words';

const AskAll = later(() => import('./AskAll'));
const StoreForm = later(() => import('./StoreForm'), null);

type Name = 'stores' | 'ask';
type Open = { dialog: 'new' } | { dialog: 'rename' | 'delete'; store: Store };

/** The document stores of the workspace. */
export default function KnowledgePage(): ReactNode {
  const missing = useMissingPermissions('documentStores');
  const [open, setOpen] = useState<Open | null>(null);
  const [, go] = useLocation();
  const close = (): void => setOpen(null);
  const { read, put } = useAddress();
  const stores = useStores(!missing.view);
  const usedBy = useUsedBy('documentStores', !missing.view).data;
  const value: Name = read('tab') === 'ask' ? 'ask' : 'stores';
  const { data } = stores;
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
    numberColumn('totalChunks', t('knowledge.passages'), true),
    numberColumn('totalChars', t('knowledge.characters'), true),
    ...usedByColumn(usedBy, (store: Store) => store.id),
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
              label: t('knowledge.deleteConfirm'),
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
        query={stores}
        missing={missing.view ?? false}
        create={!missing.create && { label: t('knowledge.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={
          missing.create !== null &&
          t('kit.viewOnly', { things: t('knowledge.things'), permission: missing.create })
        }
        empty={{ title: t('knowledge.empty'), text: t('knowledge.emptyText') }}
        search={{ label: t('knowledge.searchStores'), words: ({ name, description }) => [name, description] }}
        around={
          data && data.length > 0
            ? (list) => (
                <Tabs<Name>
                  label={t('knowledge.views')}
                  value={value}
                  onChange={(next) => put({ tab: next === 'ask' ? next : '', ask: '', q: '' })}
                  tabs={[
                    { value: 'stores', label: t('knowledge.stores') },
                    { value: 'ask', label: t('knowledge.askAll') },
                  ]}
                  panelClassName={css.tabPanel}
                >
                  {value === 'ask' ? <AskAll stores={data} /> : list}
                </Tabs>
              )
            : undefined
        }
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
      {open?.dialog === 'delete' && (
        <DeleteStore store={open.store} flows={usedBy?.[open.store.id]} onClose={close} />
      )}
    </>
  );
}
