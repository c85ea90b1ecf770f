import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { t } from '../i18n';
import { Button, EmptyState, useTitle } from '../ui';

export function NotFound(): ReactNode {
  useTitle(t('errors.notFound'));
  return (
    <>
      <h1 className="sr-only">{t('errors.notFound')}</h1>
      <EmptyState
        icon={Compass}
        title={t('errors.notFound')}
        actions={
          <Button asChild>
            <Link href="/">{t('errors.toFlows')}</Link>
          </Button>
        }
      >
        {t('errors.notFoundText')}
      </EmptyState>
    </>
  );
}
