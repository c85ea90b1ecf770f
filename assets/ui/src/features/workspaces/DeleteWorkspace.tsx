import type { ReactNode } from 'react';
import { useDeleteWorkspace, type Workspace } from '../../api/workspaces';
import { t } from '../../i18n';
import { ConfirmDialog, toast } from '../../ui';

export function DeleteWorkspace(props: { workspace: Workspace; onClose: () => void }): ReactNode {
  const { workspace, onClose } = props;
  const remove = useDeleteWorkspace();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('workspaces.deleteTitle', { name: workspace.name })}
      confirm={t('workspaces.deleteWorkspace')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(workspace.id, {
          onSuccess: () => {
            toast(t('workspaces.deleted', { name: workspace.name }));
            onClose();
          },
        })
      }
    >
      {t('workspaces.deleteText')}
    </ConfirmDialog>
  );
}
