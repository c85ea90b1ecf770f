import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { DraftStatus, Flow } from '../../api/models';
import { relativeTime } from '../../core/format';
import { Popover } from '../../ui';
import css from './Publish.module.css';
import { explanation, stateOf } from './state';
import { t } from './words';

export interface StateInfoProps {
  flow: Flow;
  status: DraftStatus;
  /** The chip itself, which the list of flows draws as well. */
  children: ReactNode;
}

/** The state chip as a button that says what the state means. */
export function StateInfo({ flow, status, children }: StateInfoProps): ReactNode {
  const why = explanation(stateOf(flow, status));
  const { draft, lastPublished } = status;
  return (
    <Popover
      label={t('publish.chip.detail')}
      width={300}
      trigger={
        <button type="button" className={css.chip}>
          {children}
        </button>
      }
    >
      <div className={css.info}>
        <p>{t(`publish.chip.${why}`, { time: draft ? relativeTime(draft.updatedDate) : '' })}</p>
        {why === 'publish-instantly' && (
          <Link href={`/flows/${flow.id}/settings`}>{t('publish.chip.toSettings')}</Link>
        )}
        {lastPublished && (
          <p className={css.muted}>
            {t('publish.chip.lastPublished', { time: relativeTime(lastPublished.date) })}{' '}
            {lastPublished.sha && (
              <Link href={`/flows/${flow.id}/versions?v=${lastPublished.sha.slice(0, 12)}`}>
                {t('publish.chip.toVersion')}
              </Link>
            )}
          </p>
        )}
      </div>
    </Popover>
  );
}
