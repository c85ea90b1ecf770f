import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan } from '../../api/me';
import { SEES_FLOWS } from '../../core/permissions';
import { BackLink, EmptyState, NoAccess, Page, PageHeader } from '../../ui';
import { t } from './words';

/** What stands where a flow would, with the way back to those that may be seen. */
export function NoFlow({ forbidden = false }: { forbidden?: boolean }): ReactNode {
  const can = useCan();
  const lacking = SEES_FLOWS.find((permission) => !can(permission));
  return (
    <Page>
      <BackLink href="/">{t('canvas.back')}</BackLink>
      <PageHeader title={t('flows.title')} />
      {forbidden ? (
        <NoAccess permission={lacking ?? ''} />
      ) : (
        <EmptyState icon={SearchX} title={t('canvas.unknown')}>
          {t('canvas.unknownText')}
        </EmptyState>
      )}
    </Page>
  );
}
