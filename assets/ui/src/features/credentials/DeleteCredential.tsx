import type { ReactNode } from 'react';
import { useDeleteCredential, type Credential } from '../../api/credentials';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { ConfirmDialog, FlowNames, toast } from '../../ui';

/** Names the flows that fail without it. */
export function DeleteCredential(props: { credential: Credential; onClose: () => void }): ReactNode {
  const { credential, onClose } = props;
  const remove = useDeleteCredential();
  const used = useUsedBy('credentials').data?.[credential.id];
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('credentials.deleteTitle', { name: credential.name })}
      confirm={t('credentials.deleteCredential')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(credential.id, {
          onSuccess: () => {
            toast(t('credentials.deleted', { name: credential.name }));
            onClose();
          },
        })
      }
    >
      <p>{t('credentials.deleteText')}</p>
      {used && used.count > 0 && (
        <div>
          <p>{t('credentials.deleteUsed')}</p>
          <FlowNames {...used} />
        </div>
      )}
    </ConfirmDialog>
  );
}
