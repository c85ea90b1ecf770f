import { ArrowLeft, CircleCheck, KeyRound, PencilLine } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useVersionDiff, type Version, type VersionList } from '../../api/versions';
import { exactTime } from '../../core/format';
import { t } from '../../i18n';
import { Badge, Combobox, CopyButton, RelativeTime } from '../../ui';
import { Actions } from './Actions';
import { VersionView } from './Compare';
import { KindBadge } from './kinds';
import { PromotedFrom } from './PromotedFrom';
import type { VersionsProps } from './props';
import type { useAddress } from './useAddress';
import { DRAFT, find, isSettingsOnly } from './versions';
import { VersionAnswersLine } from './VersionAnswers';
import css from './Versions.module.css';

export interface DetailProps extends VersionsProps {
  history: VersionList;
  address: ReturnType<typeof useAddress>;
  /** `draft`, a version of the list, or an id that is not in it. */
  version: Version | string;
  narrow: boolean;
}

/** One version: what it is, what can be done with it, and its canvas, alone or beside another. */
export function Detail(props: DetailProps): ReactNode {
  const { flow, status, mayEdit, history, address, version, narrow } = props;
  const { view, go, to } = address;
  const inDraft = version === DRAFT;
  const entry = typeof version === 'string' ? null : version;
  const sha = inDraft ? null : (entry?.sha ?? (version as string));
  const diff = useVersionDiff(flow.id, sha, entry?.kind === 'save' ? 'previous' : null).data;
  const settingsOnly = Boolean(entry && diff && isSettingsOnly(entry, diff));
  const isLive = entry !== null && entry.sha === history.liveSha;
  // The draft is of interest for what it changes.
  const against = view.against || (inDraft ? 'current' : '');

  const options = useMemo(
    () => [
      ...(inDraft ? [] : [{ value: 'none', label: t('versions.againstNothing') }]),
      ...(inDraft ? [] : [{ value: 'previous', label: t('versions.againstPrevious') }]),
      { value: 'current', label: t('versions.againstCurrent') },
      ...history.versions
        .filter((other) => other !== entry)
        .map((other) => ({
          value: other.sha,
          label: `${other.shortSha} ${other.title}`,
          description: `${other.author}, ${exactTime(other.date)}`,
        })),
    ],
    [inDraft, history.versions, entry],
  );
  const value = find(history.versions, against)?.sha ?? (against || 'none');

  return (
    <section className={css.detail} aria-label={entry?.title ?? t('versions.draftTitle')}>
      <header className={css.detailHead}>
        {narrow && (
          <Link href={to({ version: '', against: '' })} className={css.back}>
            <ArrowLeft size={15} aria-hidden /> {t('versions.back')}
          </Link>
        )}
        <h2 className={css.detailTitle}>
          {entry ? entry.title : inDraft ? t('versions.draftTitle') : sha?.slice(0, 7)}
        </h2>
        <div className={css.facts}>
          {inDraft && <Badge icon={PencilLine}>{t('versions.draft')}</Badge>}
          {inDraft && status.draft && <RelativeTime date={status.draft.updatedDate} />}
          {entry && <KindBadge kind={entry.kind} />}
          {isLive && (
            <Badge tone="success" icon={CircleCheck}>
              {t('versions.live')}
            </Badge>
          )}
          {entry && (
            <>
              <span>
                {entry.author}
                {entry.authorKind === 'system' && <span className="sr-only"> {t('versions.system')}</span>}
              </span>
              <RelativeTime date={entry.date} />
              <span className={css.id}>
                <code>{entry.shortSha}</code>
                <CopyButton text={entry.sha} label={t('versions.copyId', { id: entry.shortSha })} />
              </span>
              {entry.promotedFrom && <PromotedFrom sha={entry.promotedFrom} />}
              {entry.hiddenSecrets > 0 && (
                <Badge tone="warning" icon={KeyRound}>
                  {t('versions.hidden', { count: entry.hiddenSecrets })}
                </Badge>
              )}
            </>
          )}
        </div>
        {entry && entry.details.length > 1 && (
          <details className={css.details}>
            <summary>{t('versions.details', { count: entry.details.length })}</summary>
            <ul>
              {entry.details.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        )}
        {entry && entry.kind !== 'delete' && <VersionAnswersLine flow={flow.id} sha={entry.sha} />}
        <div className={css.tools}>
          <div className={css.against}>
            <span className={css.againstLabel}>{t('versions.against')}</span>
            <Combobox
              aria-label={t('versions.against')}
              value={value}
              options={options}
              onChange={(next) => go({ against: next === 'none' ? '' : next.slice(0, 12) })}
            />
          </div>
          <span className={css.space} />
          {sha !== null && mayEdit && entry?.kind !== 'delete' && (
            <Actions
              flow={flow}
              status={status}
              sha={sha}
              version={entry}
              isLive={isLive}
              settingsOnly={settingsOnly}
              unsaved={props.unsaved}
              dropEdits={props.dropEdits}
            />
          )}
        </div>
        {settingsOnly ? (
          <p className={css.hint}>{t('versions.settingsOnly')}</p>
        ) : (
          sha !== null && mayEdit && <p className={css.hint}>{t('versions.settingsNote')}</p>
        )}
      </header>
      <VersionView
        {...props}
        sha={sha}
        against={against}
        draft={inDraft ? (status.draft?.flowData ?? '') : null}
        updated={status.draft?.updatedDate}
      />
    </section>
  );
}
