import { HistoryIcon, MousePointerClick, PowerOff } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useVersions, type VersionList } from '../../api/versions';
import { t } from '../../i18n';
import { Banner, EmptyState, FilteredEmpty, Loaded, Select, Skeleton, useMedia } from '../../ui';
import { Detail } from './Detail';
import { List } from './List';
import type { VersionsProps } from './props';
import { useAddress } from './useAddress';
import { authors, DRAFT, find, passing, type VersionFilter } from './versions';
import css from './Versions.module.css';
import './words';

/** The history of a flow: its versions by day, one of them shown, or two compared. */
export default function Versions(props: VersionsProps): ReactNode {
  const versions = useVersions(props.flow.id);
  return (
    <Loaded
      query={versions}
      skeleton={
        <div className={css.waiting}>
          <Skeleton lines={8} height={40} />
        </div>
      }
    >
      {(list) =>
        list.enabled ? (
          <History {...props} history={list} />
        ) : (
          <EmptyState icon={PowerOff} title={t('versions.off')}>
            {t('versions.offText')}
          </EmptyState>
        )
      }
    </Loaded>
  );
}

/** As many as the service lists. */
const LISTED = 200;

function History(props: VersionsProps & { history: VersionList }): ReactNode {
  const { flow, status, history } = props;
  const address = useAddress(flow.id);
  const { view, go } = address;
  const narrow = useMedia('(width < 768px)');
  const shown = useMemo(() => passing(history.versions, view), [history.versions, view]);
  const people = useMemo(() => authors(history.versions), [history.versions]);
  const inDraft = view.version === DRAFT && status.draft !== null;
  // Beside the list there is room for one: the newest, until another is chosen.
  const wanted = view.version === DRAFT ? '' : view.version || (narrow ? '' : (shown[0]?.sha ?? ''));
  const chosen = find(history.versions, wanted);

  if (history.versions.length === 0 && !status.draft) {
    return (
      <>
        <LastError text={history.lastError} />
        <EmptyState icon={HistoryIcon} title={t('versions.empty')}>
          {t('versions.emptyText')}
        </EmptyState>
      </>
    );
  }
  const detail = (inDraft || wanted !== '') && (
    <Detail
      key={inDraft ? DRAFT : wanted}
      {...props}
      address={address}
      version={inDraft ? DRAFT : (chosen ?? wanted)}
      narrow={narrow}
    />
  );
  if (narrow && detail) return <div className={css.page}>{detail}</div>;
  return (
    <div className={css.page}>
      <section className={css.side} aria-label={t('versions.list')}>
        <div className={css.filters} role="group" aria-label={t('versions.filters')}>
          <Select<VersionFilter>
            size="compact"
            aria-label={t('versions.kind')}
            value={view.show}
            onChange={(show) => go({ show })}
            options={[
              { value: '', label: t('versions.allKinds') },
              { value: 'published', label: t('versions.publishedOnly') },
              { value: 'saves', label: t('versions.saves') },
            ]}
          />
          <Select
            size="compact"
            aria-label={t('versions.author')}
            value={view.by}
            onChange={(by) => go({ by })}
            options={[
              { value: '', label: t('versions.allAuthors') },
              ...people.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </div>
        <LastError text={history.lastError} />
        {shown.length === 0 && history.versions.length > 0 ? (
          <FilteredEmpty onClear={() => go({ show: '', by: '' })} />
        ) : (
          <List
            versions={shown}
            draft={status.draft}
            liveSha={history.liveSha}
            here={inDraft ? DRAFT : (chosen?.sha ?? '')}
            to={address.to}
            note={history.versions.length >= LISTED ? t('versions.newest', { count: LISTED }) : null}
          />
        )}
      </section>
      {!narrow &&
        (detail || (
          <div className={css.detail}>
            <EmptyState icon={MousePointerClick} title={t('versions.choose')}>
              {t('versions.chooseText')}
            </EmptyState>
          </div>
        ))}
    </div>
  );
}

function LastError({ text }: { text: string | null }): ReactNode {
  if (!text) return null;
  return (
    <div className={css.notice}>
      <Banner tone="warning" title={t('versions.lastError')}>
        {text}
      </Banner>
    </div>
  );
}
