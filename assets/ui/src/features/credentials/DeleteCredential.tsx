import type { ReactNode } from 'react';
import { useDeleteCredential, type Credential } from '../../api/credentials';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { DeleteDialog, MissedIn } from '../../ui';

/** Names the flows that fail without it. */
export function DeleteCredential(props: { credential: Credential; onClose: () => void }): ReactNode {
  const { credential, onClose } = props;
  const remove = useDeleteCredential();
  const used = useUsedBy('credentials').data?.[credential.id];
  return (
    <DeleteDialog
      id={credential.id}
      remove={remove}
      onClose={onClose}
      named={Boolean(used?.count)}
      title={t('credentials.deleteTitle', { name: credential.name })}
      confirm={t('credentials.deleteCredential')}
      done={t('credentials.deleted', { name: credential.name })}
    >
      <p>{t('credentials.deleteText')}</p>
      <MissedIn text={t('credentials.deleteUsed')} used={used} />
    </DeleteDialog>
  );
}
