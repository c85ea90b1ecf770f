import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePipelineRun, type PipelineRun } from '../../api/pipelines';
import { briefTime, duration, exactTime } from '../../core/format';
import { sourcesOf } from '../../core/run';
import { t } from '../../i18n';
import { Banner, CopyButton, Drawer, Loaded, scrollRegion } from '../../ui';
import { SourceTexts } from '../../ui/run/Parts';
import css from './Pipelines.module.css';
import { tookOf, unnamed } from './run';
import { Counts, RunBadges } from './RunFacts';

export interface RunDrawerProps {
  flow: string;
  id: string;
  /** The run as a list has it; without it the run is asked for. */
  known: PipelineRun | null;
  onClose: () => void;
}

/** All that is known of a run. */
export function RunDrawer({ flow, id, known, onClose }: RunDrawerProps): ReactNode {
  const asked = usePipelineRun(flow, known ? null : id);
  const run = known ?? asked.data;
  return (
    <Drawer
      open
      onClose={onClose}
      title={run ? t('pipelines.runTitle', { when: briefTime(run.started) }) : t('pipelines.run')}
      width={560}
    >
      <Loaded query={{ ...asked, data: run }}>{(shown) => <Report flow={flow} run={shown} />}</Loaded>
    </Drawer>
  );
}

function Report({ flow, run }: { flow: string; run: PipelineRun }): ReactNode {
  const took = tookOf(run);
  const params = Object.entries(run.params);
  const more = unnamed(run);
  return (
    <div className={css.report}>
      <RunBadges run={run} />
      {run.error && (
        <Banner tone="danger" title={t('pipelines.ended.FAILED')}>
          {run.error}
        </Banner>
      )}
      <Counts run={run} />
      <dl className={css.facts}>
        <Fact name={t('pipelines.began')}>
          <time dateTime={run.started}>{exactTime(run.started)}</time>
        </Fact>
        {took !== null && <Fact name={t('pipelines.took')}>{duration(took)}</Fact>}
        <Fact name={t('pipelines.trigger')}>{t(`pipelines.trigger.${run.trigger}`)}</Fact>
        {run.flowVersion && (
          <Fact name={t('pipelines.version')}>
            <Link href={`/flows/${flow}/versions?v=${encodeURIComponent(run.flowVersion)}`}>
              {run.flowVersion.slice(0, 7)}
            </Link>
          </Fact>
        )}
        <Fact name={t('pipelines.id')} whole>
          <code>{run.id}</code>
          <CopyButton text={run.id} />
        </Fact>
      </dl>
      {params.length > 0 && (
        <Part title={t('pipelines.params')}>
          <dl className={css.facts}>
            {params.map(([name, value]) => (
              <Fact key={name} name={name}>
                <span className={css.value}>{value === '' ? '–' : value}</span>
              </Fact>
            ))}
          </dl>
        </Part>
      )}
      {run.errors.length > 0 && (
        <Part title={t('pipelines.errors')}>
          <ul className="lines" ref={scrollRegion}>
            {run.errors.map(({ document, source, message }, at) => (
              <li key={at} className={css.failure}>
                <p className="inline">
                  <strong className={css.value}>{document}</strong>
                  <span className="note">{source}</span>
                </p>
                <p className={css.value}>{message}</p>
              </li>
            ))}
          </ul>
          {more > 0 && <p className="note">{t('pipelines.errorsMore', { count: more })}</p>}
        </Part>
      )}
      {run.results && (
        <Part title={t('pipelines.results')}>
          {run.results.length === 0 && <p className="muted">{t('pipelines.resultsNone')}</p>}
          <SourceTexts open sources={sourcesOf(run.results)} />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className={css.part} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Fact(props: { name: string; whole?: boolean; children: ReactNode }): ReactNode {
  const { name, whole, children } = props;
  return (
    <div className={whole ? css.whole : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
