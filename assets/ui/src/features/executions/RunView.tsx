import { ChevronsDownUp, ChevronsUpDown, ListChecks } from 'lucide-react';
import { useMemo, useState, type ReactNode, type Ref } from 'react';
import { number } from '../../core/format';
import { entriesOf, flat, noRun, stepsOf, tokensOfAll, type LiveRun } from '../../core/run';
import { Banner, Button, EmptyState } from '../../ui';
import { RunSteps, stepsShown } from '../../ui/run/RunSteps';
import type { StepActions } from '../../ui/run/StepDetails';
import css from './Executions.module.css';
import { t } from './words';

export interface RunViewProps {
  /** What the record holds; null or nothing where it is not told. */
  entries: unknown;
  /** What the stream of a run that goes on told so far; null for one that does not. */
  live: LiveRun | null;
  /** Texts were cut, or there was no room. */
  cut: boolean;
  over: boolean;
  actions: StepActions;
  /** Of a run that was run again: when it began. */
  since?: number | null;
  /** Takes the focus that something above it lost. */
  heading?: Ref<HTMLHeadingElement>;
}

/** The most steps that are opened with one click: the details of thousands are more than a page can draw. */
const OPENED_MAX = 50;

/** The steps of a run, with what is known of all of them. */
export function RunView({ entries, live, cut, over, actions, since, heading }: RunViewProps): ReactNode {
  const recorded = useMemo(() => entriesOf(entries), [entries]);
  // The stream begins with what there is; until then the record has more.
  const told = live && live.entries.length >= recorded.length ? live : null;
  const run = useMemo(() => told ?? { ...noRun, entries: recorded }, [told, recorded]);
  const steps = useMemo(() => stepsOf(run, over), [run, over]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => flat(steps), [steps]);
  const tokens = useMemo(() => tokensOfAll(steps), [steps]);
  if (!Array.isArray(entries) && all.length === 0)
    return <Banner tone="info">{t(cut ? 'executions.cut' : 'executions.hidden')}</Banner>;
  if (all.length === 0)
    return (
      <EmptyState icon={ListChecks} title={t(over ? 'executions.noStepsAtAll' : 'executions.noSteps')} />
    );
  const open = all.some(({ key }) => opened.has(key));
  const newest = stepsShown(steps).slice(-OPENED_MAX);
  return (
    <section className={css.run} aria-label={t('executions.steps')}>
      <div className={css.runHead}>
        <h2 ref={heading} tabIndex={-1}>
          {t('executions.steps')}
        </h2>
        <p className="note">
          {t('run.steps', { count: all.length })}
          {tokens &&
            ` · ${t('run.tokens', { count: tokens.read + tokens.written })} (${t('run.tokensOf', {
              read: number(tokens.read),
              written: number(tokens.written),
            })})`}
        </p>
        <Button
          size="compact"
          variant="ghost"
          icon={open ? ChevronsDownUp : ChevronsUpDown}
          onClick={() => setOpened(new Set(open ? [] : newest.map(({ key }) => key)))}
        >
          {open
            ? t('executions.closeAll')
            : newest.length < all.length
              ? t('executions.openSome', { count: newest.length })
              : t('executions.openAll')}
        </Button>
      </div>
      {cut && <p className="note">{t('run.cut')}</p>}
      <RunSteps
        steps={steps}
        opened={opened}
        onOpen={(key, on) =>
          setOpened((now) => {
            const next = new Set(now);
            if (on) next.add(key);
            else next.delete(key);
            return next;
          })
        }
        actions={actions}
        since={since}
      />
    </section>
  );
}
