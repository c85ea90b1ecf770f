import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CheckEstimate, CheckSetup } from '../../api/checks';
import { duration, number } from '../../core/format';
import { Banner } from '../../ui';
import css from './Check.module.css';
import { estimateFor, type CheckPlan } from './plan';
import { t } from './words';

export interface EstimatesProps {
  setup: CheckSetup;
  plan: CheckPlan;
  /** How many are asked. */
  questions: number;
}

/** What the check would take, with and without asking Live once more. */
export function Estimates({ setup, plan, questions }: EstimatesProps): ReactNode {
  const { liveEmpty, limits } = setup;
  const of = (control: boolean): CheckEstimate | null =>
    estimateFor(setup.estimate.plain, { questions, repeat: plan.repeat, control, liveEmpty });
  const chosen = of(plan.control);
  if (!chosen) return <p className={css.muted}>{t('check.noEstimate')}</p>;
  if (questions === 0) return null;
  const seconds = plan.control ? setup.controlSeconds : limits.maxSeconds;
  const isOver = chosen.tokens > limits.maxTokens || chosen.seconds > seconds;
  return (
    <>
      <dl className={css.estimates}>
        {(liveEmpty ? [plan.control] : [false, true]).map((control) => (
          <Estimate
            key={String(control)}
            name={t(liveEmpty ? 'check.estimate' : control ? 'check.withControl' : 'check.plain')}
            estimate={of(control)}
            chosen={plan.control === control}
          />
        ))}
      </dl>
      {isOver && <Banner tone="warning">{t('check.overCaps')}</Banner>}
    </>
  );
}

function Estimate(props: { name: string; estimate: CheckEstimate | null; chosen: boolean }): ReactNode {
  const { name, estimate, chosen } = props;
  if (!estimate) return null;
  const { answers, tokens, seconds } = estimate;
  return (
    <div className={css.estimate}>
      <dt>{name}</dt>
      <dd>
        {t('check.takes', {
          answers: t('check.answers', { count: answers }),
          tokens: number(tokens),
          time: duration(seconds * 1000),
        })}
        {chosen && (
          <span className={css.chosen}>
            <CircleCheck size={13} aria-hidden /> {t('check.chosen')}
          </span>
        )}
      </dd>
    </div>
  );
}
