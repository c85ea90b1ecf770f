import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PipelineRun, PipelineRunPage } from '../../api/pipelines';
import { duration, number } from '../../core/format';
import { t, type Key } from '../../i18n';
import {
  cx,
  EmptyState,
  Loaded,
  Pager,
  RelativeTime,
  rowLink,
  Section,
  Table,
  type Column,
  type QueryLike,
} from '../../ui';
import { Dash } from '../../ui/Dash';
import css from './Pipelines.module.css';
import { runAddress, tookOf } from './run';
import { RunBadges } from './RunFacts';

export interface RunListProps {
  flow: string;
  query: QueryLike<PipelineRunPage>;
  page: number;
  limit: number;
  onPage: (page: number) => void;
}

/** The runs that are kept; each leads to what is known of it. */
export function RunList({ flow, query, page, limit, onPage }: RunListProps): ReactNode {
  return (
    <Section title={t('pipelines.over')} description={t('pipelines.runsText')}>
      <Loaded query={query}>
        {({ data, total }) =>
          data.length === 0 && page === 1 ? (
            <EmptyState icon={Play} title={t('pipelines.empty')}>
              {t('pipelines.emptyText')}
            </EmptyState>
          ) : (
            <>
              <Table
                caption={t('pipelines.over')}
                columns={columnsOf(flow, page)}
                rows={data}
                rowKey={(run) => run.id}
              />
              {total > limit && <Pager page={page} limit={limit} total={total} onPage={onPage} />}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const count = (
  id: 'read' | 'written' | 'skipped' | 'failed',
  header: Key,
  wideOnly: boolean,
): Column<PipelineRun> => ({
  id,
  header: t(header),
  align: 'end',
  wideOnly,
  cell: (run) => <span className={id === 'failed' && run.failed > 0 ? css.bad : ''}>{number(run[id])}</span>,
});

const columnsOf = (flow: string, page: number): Column<PipelineRun>[] => [
  {
    id: 'began',
    header: t('pipelines.began'),
    cell: (run) => (
      <span className={css.words}>
        <Link href={runAddress(flow, run.id, page)} className={rowLink}>
          <RelativeTime date={run.started} />
        </Link>
        {run.error && <span className={cx('note', css.bad)}>{run.error}</span>}
      </span>
    ),
  },
  { id: 'state', header: t('pipelines.state'), cell: (run) => <RunBadges run={run} /> },
  {
    id: 'trigger',
    header: t('pipelines.trigger'),
    wideOnly: true,
    cell: ({ trigger }) => t(`pipelines.trigger.${trigger}`),
  },
  count('read', 'pipelines.read', true),
  count('written', 'pipelines.written', false),
  count('skipped', 'pipelines.skipped', true),
  count('failed', 'pipelines.failed', true),
  {
    id: 'took',
    header: t('pipelines.took'),
    align: 'end',
    wideOnly: true,
    cell: (run) => {
      const ms = tookOf(run);
      return ms === null ? <Dash /> : duration(ms);
    },
  },
];
