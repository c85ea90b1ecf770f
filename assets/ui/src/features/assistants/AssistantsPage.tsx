import { Bot, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useAssistantCards, useAssistants, useDeleteAssistant, type Assistant } from '../../api/assistants';
import { useMissingPermissions } from '../../api/me';
import { number } from '../../core/format';
import { Badge, DeleteRecord, ListPage, RowMenu, rowLink, Table, updatedColumn, type Column } from '../../ui';
import css from './Assistants.module.css';
import { readDetails, type Details } from './details';
import { NewAssistant } from './NewAssistant';
import { t } from './words';

/** An assistant as the list shows it. */
interface Row extends Details {
  id: string;
  /** Whether it runs here. */
  runs: boolean;
  updatedDate: string;
}

const rowOf = ({ id, details, type, updatedDate }: Assistant): Row => ({
  ...readDetails(details),
  id,
  runs: type === 'CUSTOM',
  updatedDate,
});

/** The assistants of the workspace. */
export default function AssistantsPage(): ReactNode {
  const missing = useMissingPermissions('assistants');
  const { data, error, refetch } = useAssistants(!missing.view);
  const models = useAssistantCards('chatmodels').data;
  const [open, setOpen] = useState<'new' | Row | null>(null);
  const remove = useDeleteAssistant();
  const close = (): void => setOpen(null);
  const modelOf = ({ model }: Row): string =>
    models?.find(({ name }) => name === model.name)?.label ?? model.name;
  const columns: Column<Row>[] = [
    { id: 'name', header: t('kit.name'), cell: (row) => <Name row={row} /> },
    {
      id: 'model',
      header: t('assistants.model'),
      cell: (row) =>
        !row.runs ? (
          <Badge title={t('assistants.hostedText')}>{t('assistants.hosted')}</Badge>
        ) : row.model.name ? (
          modelOf(row)
        ) : (
          <Badge tone="warning">{t('assistants.noModel')}</Badge>
        ),
    },
    {
      id: 'tools',
      header: t('assistants.tools'),
      align: 'end',
      wideOnly: true,
      cell: (row) => number(row.tools.length),
    },
    {
      id: 'stores',
      header: t('assistants.knowledge'),
      align: 'end',
      wideOnly: true,
      cell: (row) => number(row.stores.length),
    },
    updatedColumn(),
    {
      id: 'menu',
      header: '',
      cell: (row) => <Actions row={row} lacking={missing.delete} onDelete={() => setOpen(row)} />,
    },
  ];
  return (
    <>
      <ListPage
        title={t('assistants.title')}
        description={t('assistants.description')}
        icon={Bot}
        query={{ data: data?.map(rowOf), error, refetch }}
        missing={missing.view ?? false}
        create={!missing.create && { label: t('assistants.new'), onClick: () => setOpen('new') }}
        viewOnly={
          missing.create !== null &&
          t('kit.viewOnly', { things: t('assistants.things'), permission: missing.create })
        }
        empty={{ title: t('assistants.empty'), text: t('assistants.emptyText') }}
        search={{ label: t('assistants.search'), words: (row) => [row.name, row.instruction, modelOf(row)] }}
        found={(count) => t('assistants.found', { count })}
      >
        {(rows) => (
          <Table caption={t('assistants.title')} columns={columns} rows={rows} rowKey={({ id }) => id} />
        )}
      </ListPage>
      {open === 'new' && <NewAssistant onClose={close} />}
      {open !== null && open !== 'new' && (
        <DeleteRecord texts="assistants" id={open.id} name={open.name} remove={remove} onClose={close} />
      )}
    </>
  );
}

function Name({ row }: { row: Row }): ReactNode {
  return (
    <span className={css.name}>
      {row.runs ? (
        <Link href={`/flows/${row.id}`} className={rowLink}>
          {row.name}
        </Link>
      ) : (
        row.name
      )}
      {row.instruction && <span className={css.about}>{row.instruction}</span>}
    </span>
  );
}

function Actions(props: { row: Row; lacking: string | null; onDelete: () => void }): ReactNode {
  const { row, lacking, onDelete } = props;
  const [, go] = useLocation();
  return (
    <RowMenu
      name={row.name}
      items={[
        row.runs && { label: t('kit.edit'), icon: Pencil, onSelect: () => go(`/flows/${row.id}`) },
        {
          label: t('kit.delete'),
          icon: Trash2,
          danger: true,
          ...(lacking === null ? {} : { disabled: true, hint: t('kit.needs', { permission: lacking }) }),
          onSelect: onDelete,
        },
      ]}
    />
  );
}
