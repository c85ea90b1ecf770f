import { Unlink } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { useSharedExecution, type PublicExecution } from '../../api/executions';
import { briefTime, duration, exactTime } from '../../core/format';
import { tookOf } from '../../core/run';
import { Banner, EmptyState, Loaded, Page, PageHeader } from '../../ui';
import { RunStateBadge } from '../../ui/run/RunStateBadge';
import css from './Executions.module.css';
import { flowName } from './ExecutionTable';
import { RunView } from './RunView';
import { isOver } from './view';
import { t } from './words';

/** A run that is shared, for whoever has its link. */
export default function SharedPage(props: { params: Record<string, string | undefined> }): ReactNode {
  const shared = useSharedExecution(props.params.id ?? '');
  const gone = shared.error instanceof ApiError && [400, 404].includes(shared.error.status);
  return (
    <main className={css.shared}>
      <Page>
        {gone ? (
          <>
            <PageHeader title={t('executions.sharedGone')} />
            <EmptyState icon={Unlink} title={t('executions.gone')}>
              {t('executions.sharedGoneText')}
            </EmptyState>
          </>
        ) : (
          <Loaded query={shared}>{(data) => <Shared execution={data} />}</Loaded>
        )}
      </Page>
    </main>
  );
}

function Shared({ execution }: { execution: PublicExecution }): ReactNode {
  const { state, createdDate, error } = execution;
  const took = tookOf(execution);
  return (
    <>
      <PageHeader
        title={t('executions.sharedTitle', { name: flowName(execution) })}
        description={
          <span className="inline">
            <RunStateBadge state={state} />
            <time dateTime={createdDate} title={exactTime(createdDate)}>
              {briefTime(createdDate)}
            </time>
            {took !== null && duration(took)}
          </span>
        }
      />
      {error && <Banner tone="danger">{error}</Banner>}
      <RunView
        // Nothing is kept from who has the link; but there may have been no room.
        entries={execution.executionData ?? (execution.cut ? null : [])}
        live={null}
        cut={execution.cut === true}
        over={isOver(state)}
        actions={none}
      />
    </>
  );
}

const none = {};
