import type { ReactNode } from 'react';
import { useDeleteExecutions } from '../../api/executions';
import { ConfirmDialog, toast } from '../../ui';
import { t } from './words';

export interface DeleteRunsProps {
  ids: readonly string[];
  onClose: () => void;
  onDeleted?: () => void;
}

/** Asks before records are deleted, and says how many were. */
export function DeleteRuns({ ids, onClose, onDeleted }: DeleteRunsProps): ReactNode {
  const remove = useDeleteExecutions();
  const count = ids.length;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('executions.deleteTitle', { count })}
      confirm={t('executions.deleteConfirm', { count })}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(ids, {
          onSuccess: (deleted) => {
            const left = count - deleted;
            const told = t('executions.deleted', { count: deleted });
            toast(left > 0 ? `${told}. ${t('executions.deleteLeft', { count: left, left })}` : told);
            onClose();
            onDeleted?.();
          },
        })
      }
    >
      <p>{t('executions.deleteText')}</p>
    </ConfirmDialog>
  );
}
