import type { ReactNode } from 'react';
import { useUsedBy } from '../../api/usedBy';
import { useDeleteVariable, type Variable } from '../../api/variables';
import { t } from '../../i18n';
import { ConfirmDialog, FlowNames, toast } from '../../ui';

export function DeleteVariable(props: { variable: Variable; onClose: () => void }): ReactNode {
  const { variable, onClose } = props;
  const remove = useDeleteVariable();
  const used = useUsedBy('variables').data?.[variable.name];
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('variables.deleteTitle', { name: variable.name })}
      confirm={t('variables.deleteVariable')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(variable.id, {
          onSuccess: () => {
            toast(t('variables.deleted', { name: variable.name }));
            onClose();
          },
        })
      }
    >
      <p>{t('variables.deleteText')}</p>
      {used && used.count > 0 && (
        <div>
          <p>{t('variables.deleteUsed')}</p>
          <FlowNames {...used} />
        </div>
      )}
    </ConfirmDialog>
  );
}
