import type { ReactNode } from 'react';
import { useUsedBy } from '../../api/usedBy';
import { useDeleteVariable, type Variable } from '../../api/variables';
import { t } from '../../i18n';
import { DeleteDialog, MissedIn } from '../../ui';

export function DeleteVariable(props: { variable: Variable; onClose: () => void }): ReactNode {
  const { variable, onClose } = props;
  const remove = useDeleteVariable();
  const used = useUsedBy('variables').data?.[variable.name];
  return (
    <DeleteDialog
      id={variable.id}
      remove={remove}
      onClose={onClose}
      named={Boolean(used?.count)}
      title={t('variables.deleteTitle', { name: variable.name })}
      confirm={t('variables.deleteVariable')}
      done={t('variables.deleted', { name: variable.name })}
    >
      <p>{t('variables.deleteText')}</p>
      <MissedIn text={t('variables.deleteUsed')} used={used} />
    </DeleteDialog>
  );
}
