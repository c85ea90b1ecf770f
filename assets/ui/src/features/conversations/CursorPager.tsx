import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Banner, Button, useAddress } from '../../ui';
import css from './Conversations.module.css';
import { t } from './words';

/** The way back to the newest and on to older ones. A step of it is one of the browser's history. */
export function CursorPager({ cursor, next }: { cursor: string; next: string | null }): ReactNode {
  const { to } = useAddress();
  if (!cursor && !next) return null;
  return (
    <nav className={css.pager} aria-label={t('conversations.pages')}>
      {cursor && (
        <Button asChild>
          <Link href={to({ cursor: '' })}>{t('conversations.newest')}</Link>
        </Button>
      )}
      {next && (
        <Button asChild>
          <Link href={to({ cursor: next })}>{t('kit.nextPage')}</Link>
        </Button>
      )}
    </nav>
  );
}

/** Said where the service gave up looking before it had seen everything. */
export function StoppedEarly({ next }: { next: string | null }): ReactNode {
  const { to } = useAddress();
  return (
    <Banner
      actions={
        next && (
          <Button asChild size="compact">
            <Link href={to({ cursor: next })}>{t('conversations.further')}</Link>
          </Button>
        )
      }
    >
      {t('conversations.stoppedEarly')}
    </Banner>
  );
}
