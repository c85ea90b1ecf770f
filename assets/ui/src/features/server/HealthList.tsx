import { Ban, CircleCheck, CircleX, Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ServerStatus } from '../../api/service';
import { manualAddress } from '../../core/base';
import { Banner } from '../../ui';
import { partsOf, type Condition } from './health';
import css from './Server.module.css';
import { t } from './words';

const icons: Record<Condition, LucideIcon> = {
  well: CircleCheck,
  failing: CircleX,
  off: Ban,
  plain: Info,
};

/** A sentence for each part of the server. */
export function HealthList({ status }: { status: ServerStatus }): ReactNode {
  return (
    <>
      {status.problems.length === 0 && <Banner tone="success">{t('server.well')}</Banner>}
      <dl className={css.parts}>
        {partsOf(status).map(({ id, name, condition, sentence, to }) => {
          const Icon = icons[condition];
          return (
            <div key={id} className={css.part}>
              <dt>
                <Icon size={16} aria-hidden className={css[condition]} />
                {to ? (
                  <Link href={to} className={css.link}>
                    {name}
                  </Link>
                ) : (
                  <span>{name}</span>
                )}
              </dt>
              <dd>{sentence}</dd>
            </div>
          );
        })}
      </dl>
      <p className="note">
        {t('server.manual')}{' '}
        <a href={manualAddress} target="_blank" rel="noopener" className={css.link}>
          {t('server.openManual')}
        </a>
      </p>
    </>
  );
}
