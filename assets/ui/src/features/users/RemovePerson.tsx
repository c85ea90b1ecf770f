import type { ReactNode } from 'react';
import { useRemovePerson, type Person } from '../../api/people';
import { t } from '../../i18n';
import { ConfirmDialog, toast } from '../../ui';

export function RemovePerson({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const remove = useRemovePerson();
  const { name } = person.user;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('users.removeTitle', { name })}
      confirm={t('users.removePerson')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(person.userId, {
          onSuccess: () => {
            toast(t('users.removed', { name }));
            onClose();
          },
        })
      }
    >
      {t('users.removeText')}
    </ConfirmDialog>
  );
}
