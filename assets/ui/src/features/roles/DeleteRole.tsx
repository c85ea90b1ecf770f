import type { ReactNode } from 'react';
import { useDeleteRole, type Role } from '../../api/roles';
import { t } from '../../i18n';
import { ConfirmDialog, toast } from '../../ui';

/** The service refuses while somebody holds it, also in an open invitation. */
export function DeleteRole({ role, onClose }: { role: Role; onClose: () => void }): ReactNode {
  const remove = useDeleteRole();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('roles.deleteTitle', { name: role.name })}
      confirm={t('roles.deleteRole')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(role.id, {
          onSuccess: () => {
            toast(t('roles.deleted', { name: role.name }));
            onClose();
          },
        })
      }
    >
      {t('roles.deleteText')}
    </ConfirmDialog>
  );
}
