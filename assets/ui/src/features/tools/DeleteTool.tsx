import type { ReactNode } from 'react';
import { useDeleteTool, type Tool } from '../../api/tools';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { DeleteDialog, MissedIn } from '../../ui';

export function DeleteTool({ tool, onClose }: { tool: Tool; onClose: () => void }): ReactNode {
  const remove = useDeleteTool();
  const used = useUsedBy('tools').data?.[tool.id];
  return (
    <DeleteDialog
      id={tool.id}
      remove={remove}
      onClose={onClose}
      named={Boolean(used?.count)}
      title={t('tools.deleteTitle', { name: tool.name })}
      confirm={t('tools.deleteTool')}
      done={t('tools.deleted', { name: tool.name })}
    >
      <p>{t('tools.deleteText')}</p>
      <MissedIn text={t('tools.deleteUsed')} used={used} />
    </DeleteDialog>
  );
}
