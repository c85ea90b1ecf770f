import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { UsageReport } from '../../api/usage';
import { sumOf, tokensOf } from '../../core/amounts';
import { dayOfUtc, duration, number } from '../../core/format';
import { spanOfUtc } from '../../core/paging';
import { numberColumn, rowLink, type Column } from '../../ui';
import { Dash } from '../../ui/Dash';
import { DayChart, DayTable } from '../../ui/DayChart';
import css from './Usage.module.css';
import type { TimedAmounts } from './view';
import { t } from './words';

export type Shown = 'questions' | 'tokens';

interface DaysProps {
  report: UsageReport;
  shown: Shown;
  /** Whether the lists of conversations can show what is counted. */
  linked: boolean;
  /** The one flow that is meant. */
  flow: string;
}

/** The days as bars, and as a table for those who do not look at them. */
export function Days({ report, shown, linked, flow }: DaysProps): ReactNode {
  const { days } = report;
  const sum = sumOf(days);
  const [from, to] = [dayOfUtc(report.from), dayOfUtc(report.to)];
  const isTokens = shown === 'tokens';
  const values = days.map((day) => (isTokens ? tokensOf(day) : day.questions));
  const most = number(Math.max(0, ...values));
  const label = isTokens
    ? t('usage.chartOfTokens', { tokens: number(tokensOf(sum)), from, to, most })
    : t('usage.chartOfQuestions', {
        questions: number(sum.questions),
        failed: number(sum.failed),
        from,
        to,
        most,
      });
  return (
    <>
      <DayChart
        label={label}
        bars={days.map((one, at) => {
          const day = dayOfUtc(one.day);
          return isTokens
            ? {
                day: one.day,
                value: values[at] ?? 0,
                words: t('usage.dayOfTokens', { day, tokens: number(values[at] ?? 0) }),
              }
            : {
                day: one.day,
                value: one.questions,
                bad: one.failed,
                words: t('usage.dayOfQuestions', {
                  day,
                  questions: number(one.questions),
                  failed: number(one.failed),
                }),
              };
        })}
      />
      {!isTokens && sum.failed > 0 && (
        <p className={css.legend} aria-hidden>
          <span className={css.good}>{t('usage.answered')}</span>
          <span className={css.bad}>{t('usage.failed')}</span>
        </p>
      )}
      <DayTable
        summary={t('usage.table')}
        caption={t('usage.chart')}
        days={days}
        columns={[
          {
            id: 'day',
            header: t('usage.day'),
            cell: ({ day, questions }) =>
              linked && questions > 0 ? (
                <Link
                  className={rowLink}
                  href={`/conversations?${spanOfUtc(day, day)}${flow ? `&flow=${flow}` : ''}`}
                >
                  {dayOfUtc(day)}
                </Link>
              ) : (
                dayOfUtc(day)
              ),
          },
          ...amountColumns(),
        ]}
      />
    </>
  );
}

/** The amounts of a row, and the time that answers took; made anew, so that another language is spoken once it is chosen. */
export const amountColumns = (): Column<TimedAmounts>[] => [
  numberColumn('questions', t('usage.questions')),
  numberColumn('failed', t('usage.failed')),
  {
    id: 'median',
    header: t('usage.medianTime'),
    align: 'end',
    wideOnly: true,
    cell: ({ medianMs }) => (typeof medianMs === 'number' ? duration(medianMs) : <Dash />),
  },
  numberColumn('promptTokens', t('usage.promptTokens'), true),
  numberColumn('completionTokens', t('usage.completionTokens'), true),
];
