import { Play, Plus } from 'lucide-react';
import { useLayoutEffect, useRef, type FormEvent, type ReactNode } from 'react';
import {
  useChangeKept,
  type CheckSetup,
  type CheckStart,
  type KeptQuestion,
  type useStartCheck,
} from '../../api/checks';
import { ApiError } from '../../api/client';
import { number } from '../../core/format';
import { Banner, Button, Checkbox, Field, Input, Select, useCountdown } from '../../ui';
import { Fold } from '../../ui/run/Parts';
import css from './Check.module.css';
import { Estimates } from './Estimates';
import { keeping } from './kept';
import { askedBy, keptAs, REPEAT_MAX, requestOf, reworded, withQuestion, type CheckPlan } from './plan';
import { QuestionRow } from './QuestionRow';
import { Refusal } from './Refusal';
import { usePlan } from './usePlan';
import { t, useWords } from './words';

export interface SetupProps {
  flow: string;
  setup: CheckSetup;
  kept: readonly KeptQuestion[];
  start: Pick<ReturnType<typeof useStartCheck>, 'error' | 'isPending'>;
  onStart: (body: CheckStart) => void;
  /** Shows the kept questions. */
  onKept: () => void;
}

/** What the next check asks, how often, and how much it may use. */
export function Setup(props: SetupProps): ReactNode {
  const { flow, setup, kept, start, onStart, onKept } = props;
  const t = useWords();
  const [plan, put] = usePlan(flow, setup);
  const { limits, liveEmpty, riskySteps, unavailable } = setup;
  const { asked, left } = askedBy(plan, kept, limits.maxQuestions);
  const wait = useCountdown((start.error instanceof ApiError && start.error.retryAfter) || 0);
  const set = (part: Partial<CheckPlan>): void => put({ ...plan, ...part });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onStart(requestOf(plan, kept));
  };
  return (
    <form className={css.setup} onSubmit={send} noValidate>
      <p className={css.muted}>{t('check.about')}</p>
      {unavailable && <Banner tone="warning" title={unavailable.message} />}
      {liveEmpty && <Banner title={t('check.liveEmpty')}>{t('check.liveEmptyText')}</Banner>}
      <Questions {...props} plan={plan} put={put} onKept={onKept}>
        <p className={css.muted} role="status">
          {t('check.asked', { count: asked.length, most: limits.maxQuestions })}
          {left > 0 && ` ${t('check.leftOut', { count: left })}`}
        </p>
      </Questions>
      <section className={css.part} aria-label={t('check.how')}>
        <h3>{t('check.how')}</h3>
        {!liveEmpty && (
          <Checkbox
            checked={plan.control}
            onChange={(control) => set({ control })}
            label={t('check.control')}
            help={t('check.controlHelp')}
          />
        )}
        <Field label={t('check.repeat')} help={t('check.repeatHelp')} className={css.short}>
          <Select
            value={String(plan.repeat)}
            onChange={(repeat) => set({ repeat: Number(repeat) })}
            options={Array.from({ length: REPEAT_MAX }, (_, at) => ({
              value: String(at + 1),
              label: t('check.times', { count: at + 1 }),
            }))}
          />
        </Field>
        <Estimates setup={setup} plan={plan} questions={asked.length} />
        <Fold label={t('check.caps')} open={plan.maxTokens !== '' || plan.maxSeconds !== ''}>
          <p className={css.muted}>{t('check.capsText')}</p>
          <div className={css.pair}>
            <Field
              label={t('check.maxTokens')}
              help={t('check.most', { most: number(limits.maxTokens) })}
              optional
            >
              <Input
                inputMode="numeric"
                value={plan.maxTokens}
                onChange={(event) => set({ maxTokens: event.target.value })}
              />
            </Field>
            <Field
              label={t('check.maxSeconds')}
              help={t('check.most', {
                most: number(plan.control ? setup.controlSeconds : limits.maxSeconds),
              })}
              optional
            >
              <Input
                inputMode="numeric"
                value={plan.maxSeconds}
                onChange={(event) => set({ maxSeconds: event.target.value })}
              />
            </Field>
          </div>
        </Fold>
      </section>
      {riskySteps.length > 0 && (
        <Banner tone="warning" title={t('check.risky', { count: riskySteps.length })}>
          <ul className={css.names} aria-label={t('check.riskySteps')}>
            {riskySteps.map(({ id, label }) => (
              <li key={id}>{label}</li>
            ))}
          </ul>
          <Checkbox
            checked={plan.includeRiskySteps}
            onChange={(includeRiskySteps) => set({ includeRiskySteps })}
            label={t('check.includeRisky', { count: riskySteps.length })}
            help={t('check.includeRiskyHelp', { count: riskySteps.length })}
          />
        </Banner>
      )}
      <Refusal error={start.error} />
      <div>
        <Button type="submit" icon={Play} busy={start.isPending} disabled={wait > 0}>
          {wait > 0 ? t('check.startIn', { seconds: wait }) : t('check.start')}
        </Button>
      </div>
    </form>
  );
}

interface QuestionsProps extends SetupProps {
  plan: CheckPlan;
  put: (plan: CheckPlan) => void;
  children: ReactNode;
}

function Questions({ flow, kept, plan, put, onKept, children }: QuestionsProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const keep = useChangeKept(flow);
  const wanted = useRef<number | null>(null);
  // Once the row is there, and before the next key arrives: it belongs to that row.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const rows = list.current?.querySelectorAll('textarea');
    (rows?.[Math.min(wanted.current, rows.length - 1)] ?? add.current)?.focus();
    wanted.current = null;
  }, [plan.questions]);
  const focusRow = (at: number): void => {
    wanted.current = at;
  };
  return (
    <section className={css.part} aria-label={t('check.questions')}>
      <h3>{t('check.questions')}</h3>
      {children}
      {kept.length > 0 && (
        <div className={css.keptFirst}>
          <Checkbox
            checked={plan.useKept}
            onChange={(useKept) => put({ ...plan, useKept })}
            label={t('check.useKept', { count: kept.length })}
          />
          <Button size="compact" variant="ghost" onClick={onKept}>
            {t('check.seeKept')}
          </Button>
        </div>
      )}
      {plan.questions.length === 0 && <p className={css.muted}>{t('check.noQuestions')}</p>}
      <ul ref={list} className={css.questions}>
        {plan.questions.map((question, at) => (
          <QuestionRow
            key={question.key}
            number={at + 1}
            question={question}
            isKept={keptAs(kept, question.text) !== undefined}
            onPick={(picked) => put({ ...plan, questions: replaced(plan, { ...question, picked }) })}
            onText={(text) => put({ ...plan, questions: replaced(plan, reworded(question, text)) })}
            onKeep={() => keep.mutate(keeping(question.text, question.from))}
            onRemove={() => {
              focusRow(at);
              put({ ...plan, questions: plan.questions.filter((one) => one.key !== question.key) });
            }}
          />
        ))}
      </ul>
      <Refusal error={keep.error} />
      <div>
        <Button
          ref={add}
          size="compact"
          icon={Plus}
          onClick={() => {
            focusRow(plan.questions.length);
            put(withQuestion(plan, ''));
          }}
        >
          {t('check.addQuestion')}
        </Button>
      </div>
    </section>
  );
}

const replaced = (plan: CheckPlan, question: CheckPlan['questions'][number]): CheckPlan['questions'] =>
  plan.questions.map((one) => (one.key === question.key ? question : one));
