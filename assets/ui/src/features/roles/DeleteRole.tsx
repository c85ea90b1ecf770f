import type { ReactNode } from 'react';
import { useDeleteRole, type Role } from '../../api/roles';
import { t } from '../../i18n';
import { DeleteDialog } from '../../ui';

/** The service refuses while somebody holds it, also in an open invitation. */
export function DeleteRole({ role, onClose }: { role: Role; onClose: () => void }): ReactNode {
  const remove = useDeleteRole();
  return (
    <DeleteDialog
      id={role.id}
      remove={remove}
      onClose={onClose}
      title={t('roles.deleteTitle', { name: role.name })}
      confirm={t('roles.deleteRole')}
      done={t('roles.deleted', { name: role.name })}
    >
      {t('roles.deleteText')}
    </DeleteDialog>
  );
}
