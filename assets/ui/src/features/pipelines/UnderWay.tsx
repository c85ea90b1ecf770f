import { useState, type ReactNode } from 'react';
import { useStopPipeline, type PipelineRun } from '../../api/pipelines';
import { duration } from '../../core/format';
import { t } from '../../i18n';
import { Banner, ConfirmDialog, JobLine, Section, useElapsed } from '../../ui';
import { Counts, RunBadges } from './RunFacts';

/** How far the run under way is, with Stop for who may. */
export function UnderWay(props: { flow: string; run: PipelineRun; mayStop: boolean }): ReactNode {
  const { flow, run, mayStop } = props;
  const stop = useStopPipeline(flow);
  const [asks, setAsks] = useState(false);
  const took = useElapsed(run.started);
  const stops = stop.isPending || stop.isSuccess;
  const button = { label: t('pipelines.stop'), busy: stops, onClick: () => setAsks(true) };
  return (
    <Section title={t('pipelines.underWay')} actions={<RunBadges run={run} />}>
      <JobLine
        words={t(`pipelines.phase.${run.phase}`)}
        more={stops ? t('pipelines.stopping') : duration(took)}
        stop={mayStop ? button : undefined}
      />
      <Counts run={run} />
      {stop.error && (
        <Banner tone="danger" title={t('pipelines.stopFailed')}>
          {stop.error.message}
        </Banner>
      )}
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={t('pipelines.stopTitle')}
        confirm={t('pipelines.stopConfirm')}
        onConfirm={() => {
          setAsks(false);
          stop.mutate(run.id);
        }}
      >
        <p>{t('pipelines.stopText')}</p>
      </ConfirmDialog>
    </Section>
  );
}
