import { Braces, Pencil, Pin, Server, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useUsedBy } from '../../api/usedBy';
import { useVariables, type Variable } from '../../api/variables';
import { t } from '../../i18n';
import {
  Badge,
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
import { DeleteVariable } from './DeleteVariable';
import { VariableForm } from './VariableForm';
import css from './Variables.module.css';

type Open = { dialog: 'new' } | { dialog: 'edit' | 'delete'; variable: Variable };

/** The variables of the workspace. */
export default function VariablesPage(): ReactNode {
  const can = useCan();
  const maySee = can('variables:view');
  const mayCreate = can('variables:create');
  const variables = useVariables(maySee);
  const { read, put } = useAddress();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const type = read('type');
  return (
    <>
      <ListPage
        title={t('variables.title')}
        description={t('variables.description', { example: '{{$vars.name}}' })}
        icon={Braces}
        query={variables}
        missing={!maySee && 'variables:view'}
        create={mayCreate && { label: t('variables.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={!mayCreate && t('variables.viewOnly', { permission: 'variables:create' })}
        empty={{ title: t('variables.empty'), text: t('variables.emptyText') }}
        search={{ label: t('variables.search'), words: (one) => [one.name, one.value] }}
        filters={{
          names: ['type'],
          pass: (one) => !type || one.type === type,
          tools: (
            <Select
              className={css.filter}
              aria-label={t('variables.type')}
              value={type}
              onChange={(next) => put({ type: next })}
              options={[
                { value: '', label: t('variables.allTypes') },
                { value: 'static', label: t('variables.static') },
                { value: 'runtime', label: t('variables.runtime') },
              ]}
            />
          ),
        }}
        found={(count) => t('variables.found', { count })}
      >
        {(rows) => <VariableTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && <VariableForm onClose={close} />}
      {open?.dialog === 'edit' && <VariableForm variable={open.variable} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteVariable variable={open.variable} onClose={close} />}
    </>
  );
}

interface VariableTableProps {
  rows: readonly Variable[];
  onOpen: (open: Open) => void;
}

function VariableTable({ rows, onOpen }: VariableTableProps): ReactNode {
  const can = useCan();
  const usedBy = useUsedBy('variables').data;
  const mayEdit = can('variables:create', 'variables:update');
  const mayDelete = can('variables:delete');
  const columns: Column<Variable>[] = [
    {
      id: 'name',
      header: t('variables.name'),
      cell: (variable) =>
        mayEdit ? (
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'edit', variable })}>
            {variable.name}
          </button>
        ) : (
          variable.name
        ),
    },
    {
      id: 'type',
      header: t('variables.type'),
      width: '120px',
      cell: (variable) => (
        <Badge
          icon={variable.type === 'static' ? Pin : Server}
          tone={variable.type === 'static' ? 'neutral' : 'info'}
        >
          {t(`variables.${variable.type}`)}
        </Badge>
      ),
    },
    {
      id: 'value',
      header: t('variables.value'),
      wideOnly: true,
      cell: (variable) => <Value variable={variable} />,
    },
    ...usedByColumn<Variable>(t('variables.usedBy'), usedBy, (row) => row.name),
    updatedColumn(t('variables.updated'), css.muted),
    {
      id: 'menu',
      header: '',
      cell: (variable) => (
        <RowMenu
          name={variable.name}
          items={[
            {
              label: t('variables.edit'),
              icon: Pencil,
              disabled: !mayEdit,
              ...(mayEdit ? {} : { hint: t('variables.needs', { permission: 'variables:update' }) }),
              onSelect: () => onOpen({ dialog: 'edit', variable }),
            },
            {
              label: t('variables.delete'),
              icon: Trash2,
              danger: true,
              disabled: !mayDelete,
              ...(mayDelete ? {} : { hint: t('variables.needs', { permission: 'variables:delete' }) }),
              onSelect: () => onOpen({ dialog: 'delete', variable }),
            },
          ]}
        />
      ),
    },
  ];
  return <Table caption={t('variables.title')} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}

function Value({ variable }: { variable: Variable }): ReactNode {
  if (variable.type === 'runtime') return <span className={css.muted}>{t('variables.fromEnvironment')}</span>;
  if (!variable.value) return <span className={css.muted}>{t('variables.noValue')}</span>;
  return (
    <code className={css.value} title={variable.value.length > 60 ? variable.value : undefined}>
      {variable.value}
    </code>
  );
}
