import { PencilLine } from 'lucide-react';
import type { ReactNode } from 'react';
import type { IncomingFlow, IncomingVersion } from '../../api/promotion';
import { t } from '../../i18n';
import { Badge, Banner, CopyButton, RelativeTime, Section } from '../../ui';
import css from './Promote.module.css';
import { StatusBadge } from './StatusBadge';

/** Which version it is, and what was published on Dev on the way to it. */
export function Facts({ flow }: { flow: IncomingFlow }): ReactNode {
  const { version, changes, moreChanges, lastPromoted, status, hasDraft } = flow;
  const isAlone = changes.length === 1 && changes[0]?.sha === version.sha;
  return (
    <Section title={t('promote.facts')}>
      <div className={css.facts}>
        <p className={css.title}>{version.title}</p>
        <p className={css.line}>
          <StatusBadge status={status} />
          {hasDraft && (
            <Badge tone="warning" icon={PencilLine}>
              {t('promote.draft')}
            </Badge>
          )}
          <VersionLine version={version} />
          <CopyButton text={version.sha} label={t('promote.copyId', { id: version.shortSha })} />
          {lastPromoted && (
            <span>
              {t('promote.lastPromoted')}: <code>{lastPromoted.sha.slice(0, 7)}</code>,{' '}
              <RelativeTime date={lastPromoted.date} />
            </span>
          )}
        </p>
      </div>
      {hasDraft && <Banner tone="warning">{t('promote.draftText')}</Banner>}
      {isAlone && <Details version={version} />}
      {changes.length > 0 && !isAlone && (
        <div className={css.since}>
          <h3>{t(lastPromoted ? 'promote.since' : 'promote.sinceFirst')}</h3>
          <ol className="lines">
            {changes.map((one) => (
              <li key={one.sha} className={css.change}>
                <p>{one.title}</p>
                <p className={css.line}>
                  <VersionLine version={one} />
                </p>
                <Details version={one} />
              </li>
            ))}
          </ol>
          {moreChanges && <p className="note">{t('promote.moreChanges')}</p>}
        </div>
      )}
    </Section>
  );
}

const VersionLine = ({ version }: { version: IncomingVersion }): ReactNode => (
  <>
    <span>{version.author}</span>
    <RelativeTime date={version.date} />
    <code>{version.shortSha}</code>
  </>
);

function Details({ version }: { version: IncomingVersion }): ReactNode {
  const { details } = version;
  if (details.length < 2) return null;
  return (
    <details className={css.details}>
      <summary>{t('promote.details', { count: details.length })}</summary>
      <ul>
        {details.map((line, at) => (
          <li key={at}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
