import { FlaskConical, History } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PipelineRun } from '../../api/pipelines';
import { bytes, number } from '../../core/format';
import { t } from '../../i18n';
import { Badge } from '../../ui';
import { RunStateBadge } from '../../ui/run/RunStateBadge';
import css from './Pipelines.module.css';
import { stateOf } from './run';

/** Where a run stands, and what is particular about it. */
export function RunBadges({ run }: { run: PipelineRun }): ReactNode {
  return (
    <span className="inline">
      <RunStateBadge state={stateOf[run.state]} />
      {run.dryRun && <Badge icon={FlaskConical}>{t('pipelines.dryRun')}</Badge>}
      {run.resumed && (
        <Badge icon={History} tone="info" title={t('pipelines.resumedText')}>
          {t('pipelines.resumed')}
        </Badge>
      )}
    </span>
  );
}

/** How many documents became what. */
export function Counts({ run }: { run: PipelineRun }): ReactNode {
  return (
    <dl className={css.counts}>
      <Count name={t('pipelines.read')}>{number(run.read)}</Count>
      <Count name={t('pipelines.written')}>{number(run.written)}</Count>
      <Count name={t('pipelines.skipped')}>{number(run.skipped)}</Count>
      <Count name={t('pipelines.failed')} bad={run.failed > 0}>
        {number(run.failed)}
      </Count>
      <Count name={t('pipelines.bytes')}>{bytes(run.bytesRead)}</Count>
    </dl>
  );
}

function Count({ name, bad, children }: { name: string; bad?: boolean; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={bad ? css.bad : undefined}>{children}</dd>
    </div>
  );
}
