import { Blocks, Eye, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useTools, type Tool } from '../../api/tools';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { ListPage, rowLink, RowMenu, Table, updatedColumn, usedByColumn, type Column } from '../../ui';
import { readArguments } from './arguments';
import { DeleteTool } from './DeleteTool';
import { ToolForm } from './ToolForm';
import css from './Tools.module.css';

type Open = { dialog: 'new' } | { dialog: 'edit' | 'delete'; tool: Tool };

/** The tools of the workspace. */
export default function ToolsPage(): ReactNode {
  const can = useCan();
  const maySee = can('tools:view');
  const mayCreate = can('tools:create');
  const tools = useTools(maySee);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <ListPage
        title={t('tools.title')}
        description={t('tools.description')}
        icon={Blocks}
        query={tools}
        missing={!maySee && 'tools:view'}
        create={mayCreate && { label: t('tools.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={!mayCreate && t('tools.viewOnly', { permission: 'tools:create' })}
        empty={{ title: t('tools.empty'), text: t('tools.emptyText') }}
        search={{ label: t('tools.search'), words: (tool) => [tool.name, tool.description] }}
        found={(count) => t('tools.found', { count })}
      >
        {(rows) => <ToolTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && <ToolForm onClose={close} />}
      {open?.dialog === 'edit' && <ToolForm tool={open.tool} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteTool tool={open.tool} onClose={close} />}
    </>
  );
}

interface ToolTableProps {
  rows: readonly Tool[];
  onOpen: (open: Open) => void;
}

function ToolTable({ rows, onOpen }: ToolTableProps): ReactNode {
  const can = useCan();
  const usedBy = useUsedBy('tools').data;
  const mayEdit = can('tools:create', 'tools:update');
  const mayDelete = can('tools:delete');
  const columns: Column<Tool>[] = [
    {
      id: 'name',
      header: t('tools.name'),
      cell: (tool) => (
        <span className={css.name}>
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'edit', tool })}>
            {tool.name}
          </button>
          {tool.description && <span className={css.purpose}>{tool.description}</span>}
        </span>
      ),
    },
    {
      id: 'arguments',
      header: t('tools.arguments'),
      wideOnly: true,
      cell: (tool) => (
        <code className={css.arguments}>
          {readArguments(tool.schema)
            .map((row) => row.property)
            .join(', ')}
        </code>
      ),
    },
    ...usedByColumn<Tool>(t('tools.usedBy'), usedBy, (row) => row.id),
    updatedColumn(t('tools.updated'), css.muted),
    {
      id: 'menu',
      header: '',
      cell: (tool) => (
        <RowMenu
          name={tool.name}
          items={[
            {
              label: t(mayEdit ? 'tools.edit' : 'tools.view'),
              icon: mayEdit ? Pencil : Eye,
              onSelect: () => onOpen({ dialog: 'edit', tool }),
            },
            {
              label: t('tools.delete'),
              icon: Trash2,
              danger: true,
              disabled: !mayDelete,
              ...(mayDelete ? {} : { hint: t('tools.needs', { permission: 'tools:delete' }) }),
              onSelect: () => onOpen({ dialog: 'delete', tool }),
            },
          ]}
        />
      ),
    },
  ];
  return <Table caption={t('tools.title')} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}
