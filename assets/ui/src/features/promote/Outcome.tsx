import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PromoteResult } from '../../api/promotion';
import { t } from '../../i18n';
import { Banner } from '../../ui';
import css from './Promote.module.css';

/** What became of a version, and where to go from there. */
export function Outcome({ result }: { result: PromoteResult }): ReactNode {
  const { chatflow, restoredFrom, created, hasDraft, unchanged, historyError, version } = result;
  const links = (
    <p className={css.line}>
      <Link href={`/flows/${chatflow.id}`} className={css.link}>
        {t('promote.openFlow')}
      </Link>
      {version && (
        <Link href={`/flows/${chatflow.id}/versions?v=${version.sha.slice(0, 12)}`} className={css.link}>
          {t('promote.seeVersion')}
        </Link>
      )}
    </p>
  );
  return (
    <>
      <Banner tone="success" title={t('promote.done', { name: chatflow.name, id: restoredFrom.slice(0, 7) })}>
        {created && <p>{t('promote.doneCreated')}</p>}
        {unchanged && <p>{t('promote.doneSame')}</p>}
        {hasDraft && <p>{t('promote.doneDraft')}</p>}
        {links}
      </Banner>
      {historyError !== null && (
        <Banner tone="warning" title={t('promote.noCommit')}>
          {historyError}
        </Banner>
      )}
    </>
  );
}
