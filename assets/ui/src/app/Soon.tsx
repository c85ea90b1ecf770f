import { Hammer } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../i18n';
import { EmptyState, useTitle } from '../ui';

/** Stands for a screen that is not built yet. */
export default function Soon(): ReactNode {
  useTitle(t('app.soon'));
  return (
    <>
      <h1 className="sr-only">{t('app.soon')}</h1>
      <EmptyState icon={Hammer} title={t('app.soon')}>
        {t('app.soonText')}
      </EmptyState>
    </>
  );
}
