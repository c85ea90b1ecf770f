import type { ReactNode } from 'react';
import { useDeleteWorkspace, type Workspace } from '../../api/workspaces';
import { t } from '../../i18n';
import { DeleteDialog } from '../../ui';

export function DeleteWorkspace(props: { workspace: Workspace; onClose: () => void }): ReactNode {
  const { workspace, onClose } = props;
  const remove = useDeleteWorkspace();
  return (
    <DeleteDialog
      id={workspace.id}
      remove={remove}
      onClose={onClose}
      title={t('workspaces.deleteTitle', { name: workspace.name })}
      confirm={t('workspaces.deleteWorkspace')}
      done={t('workspaces.deleted', { name: workspace.name })}
    >
      {t('workspaces.deleteText')}
    </DeleteDialog>
  );
}
