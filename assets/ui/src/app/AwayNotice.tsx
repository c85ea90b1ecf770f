import { useSyncExternalStore, type ReactNode } from 'react';
import { isAway, subscribeAway } from '../core/connection';
import { t } from '../i18n';
import { Banner } from '../ui';
import css from './AwayNotice.module.css';

/** Says above everything else that the service is away. The region is there before the words, so that they are read out. */
export function AwayNotice(): ReactNode {
  const away = useSyncExternalStore(subscribeAway, isAway);
  return (
    <div className={css.notice} role="status">
      {away && (
        <Banner tone="warning" title={t('errors.away')}>
          {t('errors.awayText')}
        </Banner>
      )}
    </div>
  );
}
