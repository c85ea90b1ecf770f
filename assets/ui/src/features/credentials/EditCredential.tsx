import type { ReactNode } from 'react';
import { useCredential, useCredentialTypes, type Credential } from '../../api/credentials';
import { t } from '../../i18n';
import { Dialog, Loaded } from '../../ui';
import { CredentialForm } from './CredentialForm';

export function EditCredential(props: { credential: Credential; onClose: () => void }): ReactNode {
  const { credential, onClose } = props;
  const stored = useCredential(credential.id);
  const types = useCredentialTypes();
  if (stored.data && types.data) {
    const type = types.data.find((one) => one.name === credential.credentialName) ?? {
      label: credential.credentialName,
      name: credential.credentialName,
      version: 1,
      inputs: [],
    };
    return <CredentialForm type={type} stored={stored.data} onClose={onClose} />;
  }
  return (
    <Dialog open onClose={onClose} title={t('credentials.editTitle')}>
      <Loaded query={stored}>{() => <Loaded query={types}>{() => null}</Loaded>}</Loaded>
    </Dialog>
  );
}
