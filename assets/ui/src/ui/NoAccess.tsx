import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../i18n';
import { EmptyState } from './States';

/** What stands in place of something that the person may not see. */
export function NoAccess({ permission }: { permission: string }): ReactNode {
  return (
    <EmptyState icon={LockKeyhole} title={t('kit.noAccess')}>
      {t('kit.noAccessText', { permission })}
    </EmptyState>
  );
}
