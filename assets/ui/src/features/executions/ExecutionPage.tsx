import { ListX, Square, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { isGone } from '../../api/client';
import { useExecution, useExecutionPolled, useStopExecution, type Execution } from '../../api/executions';
import { useCan } from '../../api/me';
import { decisionOf } from '../../core/decision';
import { relativeTime, list } from '../../core/format';
import { noRun } from '../../core/run';
import {
  BackLink,
  Banner,
  Button,
  ConfirmDialog,
  EmptyState,
  Loaded,
  NoAccess,
  Page,
  PageHeader,
  toast,
  useTitle,
} from '../../ui';
import { AskPerson } from '../../ui/run/AskPerson';
import { isRunState, RunStateBadge } from '../../ui/run/RunStateBadge';
import { ToldSteps } from '../../ui/run/ToldSteps';
import { DeleteRuns } from './DeleteRuns';
import css from './Executions.module.css';
import { flowName, SourceBadge } from './ExecutionTable';
import { Facts } from './Facts';
import { RunView } from './RunView';
import { Share } from './Share';
import { useLiveRun } from './useLiveRun';
import { useTestRun } from './useTestRun';
import { canvasOf, isOver } from './view';
import { t } from './words';

/** One run: what its steps did, live while it goes on. */
export default function ExecutionPage(props: { params: Record<string, string | undefined> }): ReactNode {
  const id = props.params.id ?? '';
  const maySee = useCan()('executions:view');
  const record = useExecution(id, maySee);
  if (!maySee || isGone(record.error)) {
    return (
      <Page>
        <ToList />
        <PageHeader title={t('executions.title')} />
        {maySee ? (
          <EmptyState
            icon={ListX}
            title={t('executions.gone')}
            actions={
              <Button asChild>
                <Link href="/executions">{t('executions.back')}</Link>
              </Button>
            }
          >
            {t('executions.goneText')}
          </EmptyState>
        ) : (
          <NoAccess permission="executions:view" />
        )}
      </Page>
    );
  }
  return (
    <Page>
      <ToList />
      <Loaded query={record}>{(data) => <LoadedExecution key={id} execution={data} />}</Loaded>
    </Page>
  );
}

const ToList = (): ReactNode => <BackLink href="/executions">{t('executions.back')}</BackLink>;

function LoadedExecution({ execution }: { execution: Execution }): ReactNode {
  const can = useCan();
  const [, go] = useLocation();
  const [asks, setAsks] = useState<'stop' | 'delete' | null>(null);
  const [remarks, setRemarks] = useState<Record<string, string>>({});
  const { id, state } = execution;
  const underWay = state === 'INPROGRESS';
  const live = useLiveRun(id, underWay);
  const test = useTestRun(execution);
  const polls = underWay && live.broken;
  useExecutionPolled(id, polls);
  useTitle(`${flowName(execution)} · ${t('executions.title')}`);
  const asked = state === 'STOPPED' ? decisionOf(execution.action) : null;
  const mayChange = can('executions:update');
  const mayTest = can('agentflows:view');
  const steps = useRef<HTMLHeadingElement>(null);
  const asksHere = asked !== null && execution.isTest && mayTest;
  useEffect(() => {
    if (!asksHere) return;
    const heading = steps.current;
    // The question goes with the button that answered it.
    return () => {
      if (document.activeElement === document.body) heading?.focus();
    };
  }, [asksHere]);
  return (
    <>
      <PageHeader
        title={flowName(execution)}
        description={
          <span className={css.badges}>
            <RunStateBadge state={state} />
            <SourceBadge isTest={execution.isTest} />
          </span>
        }
        actions={
          <>
            {mayChange && !isOver(state) && (
              <Button icon={Square} onClick={() => setAsks('stop')}>
                {t('executions.stop')}
              </Button>
            )}
            <Share execution={execution} mayChange={mayChange} />
            {can('executions:delete') && (
              <Button icon={Trash2} disabled={underWay} onClick={() => setAsks('delete')}>
                {t('executions.delete')}
              </Button>
            )}
          </>
        }
      />
      <p className="sr-only" role="status">
        {isRunState(state) && t(`run.state.${state}`)}
      </p>
      <ToldSteps run={(underWay && live.run) || noRun} />
      <Facts execution={execution} />
      {execution.error && <Banner tone="danger">{execution.error}</Banner>}
      {test.refused && (
        <Banner tone="danger" title={test.refused.title}>
          {test.refused.message}
        </Banner>
      )}
      {polls && <Banner tone="warning">{t('executions.noLive')}</Banner>}
      {state === 'STOPPED' && <Pauses execution={execution} />}
      {asked && asksHere && (
        <AskPerson
          asked={asked}
          busy={test.busy}
          feedback={remarks[asked.id] ?? ''}
          onFeedback={(text) => setRemarks((now) => ({ ...now, [asked.id]: text }))}
          onDecide={test.decide}
        />
      )}
      <RunView
        heading={steps}
        entries={execution.executionData}
        live={underWay ? (live.run ?? noRun) : null}
        cut={execution.cut === true}
        over={isOver(state)}
        since={execution.fromExecution ? Date.parse(execution.createdDate) : null}
        actions={{
          toCanvas: execution.agentflow
            ? (node) => {
                go(canvasOf(execution, node));
                if (!execution.flowVersion) toast(t('executions.draftShown'));
              }
            : undefined,
          again: mayTest && !underWay ? test.again : undefined,
          busy: test.busy,
        }}
      />
      {asks === 'stop' && <StopRun id={id} onClose={() => setAsks(null)} />}
      {asks === 'delete' && (
        <DeleteRuns
          ids={[id]}
          onClose={() => setAsks(null)}
          onDeleted={() => go('/executions', { replace: true })}
        />
      )}
    </>
  );
}

/** What a run waits for, and until when. */
function Pauses({ execution: { pauses, isTest } }: { execution: Execution }): ReactNode {
  if (pauses.length === 0) return null;
  const until = pauses.flatMap(({ timeoutAt }) => timeoutAt ?? []).sort()[0];
  return (
    <Banner
      tone="info"
      title={t('executions.waits', { names: list(pauses.map(({ nodeLabel }) => nodeLabel)) })}
    >
      {!isTest && t('executions.waitsText')}
      {until && ` ${t('executions.waitsUntil', { when: relativeTime(until) })}`}
    </Banner>
  );
}

function StopRun({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const stop = useStopExecution(id);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('executions.stopTitle')}
      confirm={t('executions.stopConfirm')}
      busy={stop.isPending}
      error={stop.error?.message ?? null}
      onConfirm={() => stop.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{t('executions.stopText')}</p>
    </ConfirmDialog>
  );
}
