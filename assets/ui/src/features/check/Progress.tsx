import { Square } from 'lucide-react';
import { use, type ReactNode } from 'react';
import { useStopCheck, type Check } from '../../api/checks';
import { duration, number } from '../../core/format';
import { Button, useElapsed } from '../../ui';
import { Cases, type CasesProps } from './Cases';
import css from './Check.module.css';
import { Refusal } from './Refusal';
import { tokensOf } from './verdict';
import { Source, t } from './words';

/** A check as it goes: which question, how many of how many, what it used, and what is there already. */
export function Progress(props: Omit<CasesProps, 'cases'>): ReactNode {
  const { flow, check } = props;
  const stop = useStopCheck(flow, use(Source));
  const { completed, total, limits } = check;
  const elapsed = useElapsed(check.startedDate);
  const current = check.cases[completed];
  const done = check.cases.slice(0, completed);
  return (
    <>
      <section className={css.progress} aria-label={t('check.progress')}>
        <header className={css.progressHead}>
          <h3>{stop.isSuccess ? t('check.stopping') : questionOf(check)}</h3>
          <Button
            size="compact"
            icon={Square}
            busy={stop.isPending || stop.isSuccess}
            onClick={() => stop.mutate(check.id)}
          >
            {t('check.stop')}
          </Button>
        </header>
        <progress className="share" max={total} value={completed} aria-label={t('check.answered')} />
        {current && <p className={css.current}>{current.question}</p>}
        <p className={css.muted}>
          {t('check.used', {
            tokens: number(tokensOf(check)),
            maxTokens: number(limits.maxTokens),
            time: duration(elapsed),
            maxTime: duration(limits.maxSeconds * 1000),
          })}
        </p>
        <p className={css.muted}>{t('check.mayClose')}</p>
      </section>
      <Refusal error={stop.error} />
      {done.length > 0 && <Cases {...props} cases={done} />}
    </>
  );
}

/** "Question 2 of 10". */
export const questionOf = ({ completed, total }: Check): string =>
  t('check.questionOf', { number: Math.min(completed + 1, total), total });
