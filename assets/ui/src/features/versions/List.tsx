import { CircleCheck, PencilLine } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Draft } from '../../api/models';
import type { Version } from '../../api/versions';
import { clockTime, day, exactTime } from '../../core/format';
import { t } from '../../i18n';
import { Badge, cx, RelativeTime } from '../../ui';
import { KindBadge } from './kinds';
import { byDay, DRAFT, type View } from './versions';
import css from './Versions.module.css';

export interface ListProps {
  versions: readonly Version[];
  draft: Draft | null;
  liveSha: string | null;
  /** The id of the one that is shown, or `draft`. */
  here: string;
  to: (change: Partial<View>) => string;
  note: string | null;
}

export function List({ versions, draft, liveSha, here, to, note }: ListProps): ReactNode {
  return (
    <div className={css.list}>
      {draft && (
        <Link
          href={to({ version: DRAFT, against: '' })}
          className={cx(css.row, css.draft, here === DRAFT && css.here)}
          aria-current={here === DRAFT ? 'true' : undefined}
        >
          <span className={css.rowTitle}>{t('versions.draftTitle')}</span>
          <span className={css.rowFacts}>
            <RelativeTime date={draft.updatedDate} />
            <span className={css.space} />
            <Badge icon={PencilLine}>{t('versions.draft')}</Badge>
          </span>
        </Link>
      )}
      {byDay(versions, day).map(({ date, versions: made }) => (
        <section key={date} aria-label={day(date)}>
          <h2 className={css.day}>{day(date)}</h2>
          <ul>
            {made.map((version) => (
              <li key={version.sha}>
                <Row version={version} here={version.sha === here} live={version.sha === liveSha} to={to} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {note && <p className={css.note}>{note}</p>}
    </div>
  );
}

interface RowProps {
  version: Version;
  here: boolean;
  live: boolean;
  to: ListProps['to'];
}

function Row({ version, here, live, to }: RowProps): ReactNode {
  return (
    <Link
      href={to({ version: version.sha.slice(0, 12), against: '' })}
      className={cx(css.row, here && css.here)}
      aria-current={here ? 'true' : undefined}
    >
      <span className={css.rowHead}>
        <span className={css.rowTitle}>{version.title}</span>
        {live && (
          <Badge tone="success" icon={CircleCheck}>
            {t('versions.live')}
          </Badge>
        )}
      </span>
      <span className={css.rowFacts}>
        <span className={css.who}>{version.author}</span>
        <time dateTime={version.date} title={exactTime(version.date)}>
          {clockTime(version.date)}
        </time>
        <code>{version.shortSha}</code>
        <span className={css.space} />
        <KindBadge kind={version.kind} />
      </span>
    </Link>
  );
}
