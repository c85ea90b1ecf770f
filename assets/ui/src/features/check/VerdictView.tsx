import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Check } from '../../api/checks';
import { duration, number, decimal } from '../../core/format';
import { cx } from '../../ui';
import { Fold } from '../../ui/run/Parts';
import css from './Check.module.css';
import { inHundred, outcomeOf, type Outcome } from './verdict';
import { VerdictBadge, verdicts } from './VerdictBadge';
import { useWords } from './words';

const looks: Record<Outcome, { icon: LucideIcon; className: string | undefined }> = {
  change: { icon: TriangleAlert, className: css.warns },
  expectation: { icon: TriangleAlert, className: css.warns },
  failing: { icon: CircleAlert, className: css.warns },
  none: { icon: CircleCheck, className: css.calms },
  draftOnly: { icon: CircleHelp, className: undefined },
  nothing: { icon: CircleHelp, className: undefined },
  failed: { icon: CircleAlert, className: css.alarms },
};

/** Whether a check reports a change, in one sentence, and what lies behind it. */
export function VerdictView({ check }: { check: Check }): ReactNode {
  const { summary, liveEmpty } = check;
  const t = useWords();
  const outcome = outcomeOf(check);
  const { icon: Icon, className } = looks[outcome];
  return (
    <section className={cx(css.verdict, className)} aria-label={t('check.verdict')}>
      <h3 className={css.sentence}>
        <Icon size={18} aria-hidden />
        <span>{t(`check.outcome.${outcome}`)}</span>
      </h3>
      {check.error && <p>{check.error}</p>}
      {summary.ran > 0 && !liveEmpty && (
        <ul className={css.counts} aria-label={t('check.counts')}>
          {verdicts
            .filter((one) => summary.verdicts[one] > 0)
            .map((one) => (
              <li key={one}>
                <VerdictBadge verdict={one} count={summary.verdicts[one]} className={css.onColour} />
              </li>
            ))}
        </ul>
      )}
      {summary.ran > 0 && (
        <Fold label={t('check.behind')}>
          <Behind check={check} />
        </Fold>
      )}
    </section>
  );
}

/** The test reports a change up to this value. */
const REPORTS_UP_TO = 0.04;

function Behind({ check }: { check: Check }): ReactNode {
  const { summary, control, liveEmpty, repeat } = check;
  const t = useWords();
  const { pValue, test, note, reportsChange } = summary;
  const ms = (value: number | null): string => (value === null ? '–' : duration(value));
  return (
    <div className={css.behind}>
      {note && <p>{note}</p>}
      {pValue !== null && (
        <p>
          {t('check.pValue', { p: decimal(pValue, 3), share: number(inHundred(pValue)) })}{' '}
          {t(reportsChange && pValue > REPORTS_UP_TO ? 'check.pFacts' : 'check.pRule')}
        </p>
      )}
      {test && <p className={css.muted}>{t('check.test', { test })}</p>}
      {!control && !liveEmpty && <p>{t('check.noControl')}</p>}
      <table className={css.numbers}>
        <caption className="sr-only">{t('check.numbers')}</caption>
        <thead>
          <tr>
            <td />
            {!liveEmpty && <th scope="col">{t('check.live')}</th>}
            <th scope="col">{t('check.draft')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('check.tokens')}</th>
            {!liveEmpty && <td>{number(summary.liveTokens)}</td>}
            <td>{number(summary.draftTokens)}</td>
          </tr>
          <tr>
            <th scope="row">{t('check.medianTime')}</th>
            {!liveEmpty && <td>{ms(summary.liveMedianMs)}</td>}
            <td>{ms(summary.draftMedianMs)}</td>
          </tr>
          <tr>
            <th scope="row">{t('check.answersEach')}</th>
            {!liveEmpty && <td>{repeat + (control ? 1 : 0)}</td>}
            <td>{repeat}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
