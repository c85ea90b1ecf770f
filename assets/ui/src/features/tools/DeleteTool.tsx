import type { ReactNode } from 'react';
import { useDeleteTool, type Tool } from '../../api/tools';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { ConfirmDialog, FlowNames, toast } from '../../ui';

export function DeleteTool({ tool, onClose }: { tool: Tool; onClose: () => void }): ReactNode {
  const remove = useDeleteTool();
  const used = useUsedBy('tools').data?.[tool.id];
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('tools.deleteTitle', { name: tool.name })}
      confirm={t('tools.deleteTool')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(tool.id, {
          onSuccess: () => {
            toast(t('tools.deleted', { name: tool.name }));
            onClose();
          },
        })
      }
    >
      <p>{t('tools.deleteText')}</p>
      {used && used.count > 0 && (
        <div>
          <p>{t('tools.deleteUsed')}</p>
          <FlowNames {...used} />
        </div>
      )}
    </ConfirmDialog>
  );
}
