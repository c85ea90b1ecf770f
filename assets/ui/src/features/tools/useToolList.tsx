import { Blocks } from 'lucide-react';
import { useMissingPermissions } from '../../api/me';
import { useDeleteTool, useTools, type Tool } from '../../api/tools';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { updatedColumn, usedByColumn, type ResourcePageProps } from '../../ui';
import { readArguments } from './arguments';
import { ToolForm } from './ToolForm';
import css from './Tools.module.css';

/** The tools that were written in the workspace, as a list; `shown` while it is on screen. */
export function useToolList(shown: boolean): ResourcePageProps<Tool> {
  const missing = useMissingPermissions('tools');
  const usedBy = useUsedBy('tools', shown && !missing.view).data;
  return {
    texts: 'tools',
    icon: Blocks,
    query: useTools(shown && !missing.view),
    missing,
    viewable: true,
    name: (row) => row.name,
    purpose: (row) => row.description && <span className={css.purpose}>{row.description}</span>,
    words: (row) => [row.name, row.description],
    columns: [
      {
        id: 'arguments',
        header: t('tools.arguments'),
        wideOnly: true,
        cell: (row) => (
          <code className={css.arguments}>
            {readArguments(row.schema)
              .map(({ property }) => property)
              .join(', ')}
          </code>
        ),
      },
      ...usedByColumn(usedBy, (row: Tool) => row.id),
      updatedColumn(),
    ],
    remove: useDeleteTool(),
    affected: { text: t('tools.deleteUsed'), flows: (row) => usedBy?.[row.id] },
    form: (row, close) => <ToolForm tool={row} onClose={close} />,
  };
}
