import { useSyncExternalStore, type ReactNode } from 'react';
import { t } from '../i18n';
import { Banner, Button } from '../ui';
import { isNewVersion, subscribeNewVersion } from './newVersion';
import css from './Splash.module.css';

export function NewVersionBanner(): ReactNode {
  const there = useSyncExternalStore(subscribeNewVersion, isNewVersion);
  if (!there) return null;
  return (
    <div className={css.newVersion}>
      <Banner
        title={t('errors.newVersion')}
        actions={
          <Button size="compact" onClick={() => location.reload()}>
            {t('errors.reload')}
          </Button>
        }
      />
    </div>
  );
}
