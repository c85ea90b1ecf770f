import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useServer, type ServerStatus } from '../../api/service';
import { bytes } from '../../core/format';
import { Loaded, RelativeTime, Section } from '../../ui';
import css from './Home.module.css';
import { t } from './words';

/** How copy, backup and disk are, for whoever owns the server. */
export function ServerState(): ReactNode {
  return (
    <Section title={t('app.server')}>
      <Loaded query={useServer(true)}>
        {({ copy, backup, disk }) => (
          <dl className={css.server}>
            <dt>
              <Link href="/git-copy" className={css.link}>
                {t('home.copy')}
              </Link>
            </dt>
            <dd>{copy?.sentence ?? t('home.copyOff')}</dd>
            <dt>
              <Link href="/server" className={css.link}>
                {t('home.backup')}
              </Link>
            </dt>
            <dd>
              <Backup backup={backup} />
            </dd>
            <dt>
              <Link href="/server" className={css.link}>
                {t('home.disk')}
              </Link>
            </dt>
            <dd>
              {disk.free === null
                ? t('home.diskTaken', { size: bytes(disk.bytes) })
                : t('home.diskFree', { size: bytes(disk.bytes), free: bytes(disk.free) })}
            </dd>
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

function Backup({ backup: { error, every, lastAt } }: Pick<ServerStatus, 'backup'>): ReactNode {
  if (error !== null) return error;
  if (lastAt !== null) return <RelativeTime date={lastAt} />;
  return t(every === null ? 'home.backupOff' : 'home.backupNone');
}
