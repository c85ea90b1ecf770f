import { ChevronRight, CircleAlert, CircleCheck, CirclePause, CircleStop } from 'lucide-react';
import { memo, useMemo, useState, type ReactNode } from 'react';
import { duration } from '../../core/format';
import { flat, shown, type Round, type RunStep, type StepState } from '../../core/run';
import { barsOf, type Bar } from '../../core/timeline';
import { Button } from '../Button';
import { cx } from '../cx';
import { Spinner } from '../Spinner';
import css from './RunSteps.module.css';
import { StepDetails, type StepActions } from './StepDetails';
import { t } from './words';

export interface RunStepsProps {
  steps: readonly RunStep[];
  /** What is open, by the keys of steps. */
  opened: ReadonlySet<string>;
  onOpen: (key: string, open: boolean) => void;
  actions: StepActions;
  /** Of a run that was run again: when it began. What ended before is of the first run. */
  since?: number | null | undefined;
}

/** How many items of an iteration, and how many of the newest steps, are shown before somebody asks for more. */
const ITEMS_SHOWN = 10;
const STEPS_SHOWN = 200;

/** The steps that are shown before somebody asks for more. */
export const stepsShown = (steps: readonly RunStep[]): RunStep[] =>
  steps
    .slice(-STEPS_SHOWN)
    .flatMap((step) => [
      step,
      ...step.rounds.slice(0, ITEMS_SHOWN).flatMap((round) => stepsShown(round.steps)),
    ]);

/** Whether one of these, or one inside of them, is open. */
const holdsOpened = (steps: readonly RunStep[], opened: ReadonlySet<string>): boolean =>
  opened.size > 0 && flat(steps).some(({ key }) => opened.has(key));

/** The steps of a run: in their order, inside of iterations, and where each stands in time. */
export const RunSteps = memo(function RunSteps(props: RunStepsProps): ReactNode {
  const { steps } = props;
  const bars = useMemo(() => barsOf(steps), [steps]);
  const all = useMemo(() => flat(steps), [steps]);
  const timed = useMemo(() => all.filter(({ ms }) => ms !== null).length > 1, [all]);
  return (
    <div className={css.frame}>
      <List {...props} bars={timed ? bars : none} label={t('run.steps', { count: all.length })} />
    </div>
  );
});

const none: ReadonlyMap<string, Bar> = new Map();

interface ListProps extends RunStepsProps {
  bars: ReadonlyMap<string, Bar>;
  label: string;
}

function List({ label, ...props }: ListProps): ReactNode {
  const { steps, opened } = props;
  const [all, setAll] = useState(false);
  const early = steps.slice(0, Math.max(0, steps.length - STEPS_SHOWN));
  // A step that is opened from elsewhere is among those that are shown.
  const hidden = all || holdsOpened(early, opened) ? 0 : early.length;
  return (
    <>
      {hidden > 0 && (
        <Button size="compact" variant="ghost" onClick={() => setAll(true)}>
          {t('run.stepsMore', { count: hidden })}
        </Button>
      )}
      <ol className={css.steps} aria-label={label}>
        {steps.slice(hidden).map((step) => (
          <Row key={step.key} {...props} step={step} />
        ))}
      </ol>
    </>
  );
}

function Row({ step, ...props }: Omit<ListProps, 'label'> & { step: RunStep }): ReactNode {
  const { opened, onOpen, bars, actions, since } = props;
  const kept = since != null && step.end !== null && step.end < since;
  const open = opened.has(step.key);
  const tokens = step.tokens && step.tokens.read + step.tokens.written;
  const bar = bars.get(step.key);
  return (
    <li className={css.step} data-step={step.key}>
      <button type="button" className={css.head} aria-expanded={open} onClick={() => onOpen(step.key, !open)}>
        <ChevronRight size={14} aria-hidden className={cx(css.chevron, open && css.turned)} />
        <StepMark state={step.state} />
        <span className={css.name}>{step.label}</span>
        <span className={css.facts}>
          {kept && `${t('run.kept')} · `}
          {step.ms !== null && duration(step.ms)}
          {tokens !== null && ` · ${t('run.tokens', { count: tokens })}`}
        </span>
        {bar && <Line bar={bar} state={step.state} />}
      </button>
      {step.error && !open && <p className={cx(css.bad, css.short)}>{step.error}</p>}
      {open && <StepDetails step={step} actions={actions} />}
      {step.rounds.length > 0 && <Rounds {...props} step={step} />}
    </li>
  );
}

/** Where a step stands in time. Its words are the duration beside it; this says when. */
function Line({ bar, state }: { bar: Bar; state: StepState }): ReactNode {
  const [from, to] = [bar.from, bar.to].map((share) => Math.round(share * 1000) / 10) as [number, number];
  return (
    <span className={css.line} title={t('run.timeline', { from, to })}>
      <span
        className={cx(css.bar, css[state], bar.open && css.goesOn)}
        style={{
          insetInlineStart: `min(${from}%, calc(100% - 4px))`,
          inlineSize: `${Math.max(0, to - from)}%`,
        }}
      />
    </span>
  );
}

function Rounds({ step, ...props }: Omit<ListProps, 'label'> & { step: RunStep }): ReactNode {
  const [all, setAll] = useState(false);
  const { opened } = props;
  // A step that is opened from elsewhere is shown, in whichever item it ran.
  const rounds = all
    ? step.rounds
    : step.rounds.filter((round, at) => at < ITEMS_SHOWN || holdsOpened(round.steps, opened));
  const more = step.rounds.length - rounds.length;
  return (
    <div className={css.rounds} role="group" aria-label={t('run.items', { name: step.label })}>
      {rounds.map((round) => (
        <div key={round.index} className={css.round}>
          <RoundName round={round} />
          <List {...props} steps={round.steps} label={t('run.item', { number: round.index + 1 })} />
        </div>
      ))}
      {more > 0 && (
        <Button size="compact" variant="ghost" onClick={() => setAll(true)}>
          {t('run.itemsMore', { count: more })}
        </Button>
      )}
    </div>
  );
}

function RoundName({ round: { index, value } }: { round: Round }): ReactNode {
  const text = shown(value).replace(/\s+/g, ' ').slice(0, 120);
  return (
    <p className={css.roundName}>
      {t('run.item', { number: index + 1 })}
      {text && <span className={css.roundValue}>{text}</span>}
    </p>
  );
}

const marks = {
  finished: CircleCheck,
  waiting: CirclePause,
  stopped: CircleStop,
  error: CircleAlert,
};

function StepMark({ state }: { state: StepState }): ReactNode {
  const Icon = state === 'running' ? null : marks[state];
  return (
    <span className={cx(css.mark, css[state])}>
      {Icon ? <Icon size={14} aria-hidden /> : <Spinner />}
      <span className="sr-only">{t(`run.step.${state}`)} </span>
    </span>
  );
}
