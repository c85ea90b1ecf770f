import { LockKeyhole } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCopyStatus, useDisconnect, type CopyStatus } from '../../api/gitcopy';
import { useMe } from '../../api/me';
import { manualAddress } from '../../core/base';
import { t } from '../../i18n';
import { ConfirmDialog, EmptyState, Loaded, Page, PageHeader, toast } from '../../ui';
import { ConnectDialog } from './ConnectDialog';
import { EnvironmentSection } from './EnvironmentSection';
import css from './GitCopy.module.css';
import { StatusSection } from './StatusSection';
import './words';

type Open = 'connect' | 'disconnect';

/** The copy of the history at a git host, and what this server is labelled. */
export default function GitCopyPage(): ReactNode {
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const status = useCopyStatus(isOwner);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  if (!isOwner) {
    return (
      <Page narrow>
        <PageHeader title={t('gitcopy.title')} />
        <EmptyState icon={LockKeyhole} title={t('gitcopy.ownerOnly')}>
          {t('gitcopy.ownerOnlyText')}
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page narrow>
      <PageHeader
        title={t('gitcopy.title')}
        description={
          <>
            {t('gitcopy.description')}{' '}
            <a href={manualAddress} target="_blank" rel="noopener" className={css.learn}>
              {t('gitcopy.learn')}
            </a>
          </>
        }
      />
      <Loaded query={status}>
        {(data) => (
          <>
            <StatusSection
              status={data}
              onConnect={() => setOpen('connect')}
              onDisconnect={() => setOpen('disconnect')}
            />
            <EnvironmentSection key={data.environment ?? 'none'} status={data} />
            {open === 'connect' && <ConnectDialog status={data} onClose={close} />}
            {open === 'disconnect' && <Disconnect status={data} onClose={close} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Disconnect({ status, onClose }: { status: CopyStatus; onClose: () => void }): ReactNode {
  const disconnect = useDisconnect();
  return (
    <ConfirmDialog
      open
      title={t('gitcopy.disconnectTitle', { repo: status.repo ?? '' })}
      confirm={t('gitcopy.disconnect')}
      busy={disconnect.isPending}
      error={disconnect.error?.message ?? null}
      onConfirm={() =>
        disconnect.mutate(undefined, {
          onSuccess: () => {
            onClose();
            toast(t('gitcopy.disconnected'));
          },
        })
      }
      onClose={onClose}
    >
      <p>{t(status.role === 'read' ? 'gitcopy.disconnectTextRead' : 'gitcopy.disconnectText')}</p>
    </ConfirmDialog>
  );
}
