import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Execution } from '../../api/executions';
import { briefTime, duration, exactTime, relativeTime } from '../../core/format';
import { tookOf } from '../../core/run';
import { CopyButton } from '../../ui';
import css from './Executions.module.css';
import { t } from './words';

/** What is known of a run besides its steps. */
export function Facts({ execution }: { execution: Execution }): ReactNode {
  const { isTest, createdDate, agentflowId, agentflow, flowVersion, fromExecution } = execution;
  const took = tookOf(execution);
  return (
    <dl className={css.facts}>
      <Fact name={t('executions.began')}>
        <time dateTime={createdDate} title={exactTime(createdDate)}>
          {briefTime(createdDate)}
        </time>
      </Fact>
      {took !== null && <Fact name={t('executions.took')}>{duration(took)}</Fact>}
      {agentflow && (
        <Fact name={t('executions.version')}>
          {flowVersion ? (
            <Link href={`/flows/${agentflowId}/versions?v=${encodeURIComponent(flowVersion)}`}>
              {flowVersion}
            </Link>
          ) : isTest ? (
            t('executions.versionDraft')
          ) : (
            '–'
          )}
        </Fact>
      )}
      {fromExecution && (
        <Fact name={t('executions.fromRun')}>
          <Link href={`/executions/${fromExecution}`}>{t('executions.fromRunLink')}</Link>
        </Fact>
      )}
      <Fact name={t('executions.session')}>
        <Link href={`/executions?session=${encodeURIComponent(execution.sessionId)}`} className={css.session}>
          {execution.sessionId}
        </Link>
        <CopyButton text={execution.sessionId} />
      </Fact>
      {execution.callback && (
        <Fact name={t('executions.callback')}>
          {execution.callback.delivered
            ? t('executions.callbackDone', { when: relativeTime(execution.callback.date) })
            : t('executions.callbackFailed', { error: execution.callback.error ?? '–' })}
        </Fact>
      )}
      {agentflow && (
        <Fact name={t('executions.flow')}>
          <Link href={`/flows/${agentflowId}`}>{agentflow.name}</Link>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
