import {
  ArrowUpFromLine,
  LockKeyhole,
  PencilLine,
  PowerOff,
  RefreshCw,
  ServerCog,
  Unplug,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCopyNow, useCopyStatus, type CopyStatus } from '../../api/gitcopy';
import { useMe } from '../../api/me';
import { useIncoming, type IncomingEntry, type IncomingList } from '../../api/promotion';
import { relativeTime } from '../../core/format';
import { t } from '../../i18n';
import {
  Badge,
  Banner,
  Button,
  EmptyState,
  Loaded,
  Page,
  PageHeader,
  RelativeTime,
  rowLink,
  Table,
  type Column,
} from '../../ui';
import css from './Promote.module.css';
import { StatusBadge } from './StatusBadge';
import './words';

/** What Dev published and is not Live here. */
export default function PromotePage(): ReactNode {
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const status = useCopyStatus(isOwner);
  const incoming = useIncoming(isOwner);
  const read = useCopyNow();
  const both = {
    data: status.data && incoming.data && { status: status.data, list: incoming.data },
    error: status.error ?? incoming.error,
    refetch: () => Promise.all([status.refetch(), incoming.refetch()]),
  };
  const reads = both.data?.list.connected && both.data.status.role === 'read';
  return (
    <Page>
      <PageHeader
        title={t('promote.title')}
        description={isOwner ? t('promote.description') : null}
        actions={
          reads && (
            <>
              {both.data?.list.lastCheckedAt && (
                <span className="muted">
                  {t('promote.lastRead', { time: relativeTime(both.data.list.lastCheckedAt) })}
                </span>
              )}
              <Button icon={RefreshCw} busy={read.isPending} onClick={() => read.mutate()}>
                {t('promote.readNow')}
              </Button>
            </>
          )
        }
      />
      {!isOwner ? (
        <EmptyState icon={LockKeyhole} title={t('promote.ownerOnly')}>
          {t('promote.ownerOnlyText')}
        </EmptyState>
      ) : (
        <>
          {read.error && <Banner tone="danger" title={read.error.message} />}
          <Loaded query={both}>{(data) => <Incoming {...data} />}</Loaded>
        </>
      )}
    </Page>
  );
}

function Incoming({ status, list }: { status: CopyStatus; list: IncomingList }): ReactNode {
  const toGitCopy = (
    <Link href="/git-copy" className={css.link}>
      {t('promote.toGitCopy')}
    </Link>
  );
  if (!list.enabled) {
    return (
      <EmptyState icon={PowerOff} title={t('promote.off')}>
        {t('promote.offText')}
      </EmptyState>
    );
  }
  if (status.environment !== 'prod') {
    return (
      <EmptyState icon={ServerCog} title={t('promote.notProd')} actions={toGitCopy}>
        {t('promote.notProdText')}
      </EmptyState>
    );
  }
  if (!list.connected) {
    return (
      <EmptyState icon={Unplug} title={t('promote.notConnected')} actions={toGitCopy}>
        {t('promote.notConnectedText')}
      </EmptyState>
    );
  }
  const stuck = status.state === 'retrying' || status.state === 'stopped';
  return (
    <>
      {stuck && (
        <Banner tone="warning" title={t('promote.state')} actions={toGitCopy}>
          {status.message}
        </Banner>
      )}
      {list.flows.length === 0 ? (
        <EmptyState icon={ArrowUpFromLine} title={t('promote.empty')}>
          {t('promote.emptyText')}
        </EmptyState>
      ) : (
        <Table
          caption={t('promote.list')}
          columns={columns()}
          rows={list.flows}
          rowKey={(row) => row.flowId}
        />
      )}
    </>
  );
}

const columns = (): Column<IncomingEntry>[] => [
  {
    id: 'flow',
    header: t('promote.flow'),
    cell: (row) => (
      <span className={css.flow}>
        <span className="inline">
          <Link href={`/promote/${row.flowId}`} className={rowLink}>
            {row.name}
          </Link>
          <StatusBadge status={row.status} />
          {row.hasDraft && (
            <Badge tone="warning" icon={PencilLine}>
              {t('promote.draft')}
            </Badge>
          )}
        </span>
        <span className="note">{row.version.title}</span>
      </span>
    ),
  },
  {
    id: 'author',
    header: t('promote.author'),
    // A name is not broken in two on a narrow page.
    width: '112px',
    cell: ({ version }) => (
      <span className={css.flow}>
        <span>{version.author}</span>
        <RelativeTime date={version.date} className="note" />
      </span>
    ),
  },
  {
    id: 'published',
    header: t('promote.published'),
    wideOnly: true,
    cell: (row) =>
      row.moreChanges
        ? t('promote.publishedMore', { count: row.changes.length })
        : t('promote.publishedCount', { count: row.changes.length }),
  },
  {
    id: 'last',
    header: t('promote.lastPromoted'),
    wideOnly: true,
    cell: ({ lastPromoted }) =>
      lastPromoted ? (
        <span className={css.flow}>
          <RelativeTime date={lastPromoted.date} />
          <code>{lastPromoted.sha.slice(0, 7)}</code>
        </span>
      ) : (
        <span className="muted">{t('promote.never')}</span>
      ),
  },
];
