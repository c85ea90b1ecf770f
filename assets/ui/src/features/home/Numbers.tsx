import type { ReactNode } from 'react';
import { useConversations } from '../../api/conversations';
import { useUsage, type UsageReport } from '../../api/usage';
import { sumOf, tokensOf } from '../../core/amounts';
import { briefTime, dayOfUtc, duration, number } from '../../core/format';
import { beginOfUtc, utcDay } from '../../core/paging';
import { Loaded, numberColumn, type QueryLike } from '../../ui';
import { DayChart, DayTable } from '../../ui/DayChart';
import { Facts } from '../../ui/Facts';
import css from './Home.module.css';
import { t } from './words';

/** Rated conversations are counted up to here. */
const RATED = 100;

/** What happened since yesterday and in the last thirty days. */
export function Numbers({ usage }: { usage: QueryLike<UsageReport> }): ReactNode {
  // A median of two spans is not made of those of their days.
  const recent = useUsage({ from: utcDay(1), to: utcDay() }).data;
  return (
    <section className={css.numbers} aria-label={t('home.numbers')}>
      <Loaded query={usage}>
        {({ days, medianMs }) => (
          <>
            <Span
              label={t('home.sinceYesterday')}
              days={days.slice(-2)}
              medianMs={recent?.medianMs}
              back={1}
            />
            <Span label={t('home.days', { count: 30 })} days={days} medianMs={medianMs} back={29} />
          </>
        )}
      </Loaded>
    </section>
  );
}

interface SpanProps {
  label: string;
  days: UsageReport['days'];
  /** The median time of an answer of these days. */
  medianMs: number | null | undefined;
  /** How many days ago it begins. */
  back: number;
}

function Span({ label, days, medianMs, back }: SpanProps): ReactNode {
  const [first, today] = [utcDay(back), utcDay()];
  const since = beginOfUtc(first);
  const bad = useConversations({ feedbackType: ['THUMBS_DOWN'], startDate: since }, '', RATED, true).data;
  const sum = sumOf(days);
  const usage = back < 7 ? `/usage?span=own&since=${first}&until=${today}` : '/usage';
  const conversations = `/conversations?since=${since}`;
  const chart = t('home.chart', {
    questions: number(sum.questions),
    from: dayOfUtc(days[0]?.day ?? first),
    to: dayOfUtc(days.at(-1)?.day ?? today),
  });
  return (
    <div className={css.span}>
      <h2>{label}</h2>
      <p className="note">{t('home.from', { time: briefTime(since) })}</p>
      <Facts
        facts={[
          { label: t('home.questions'), value: sum.questions, to: conversations },
          { label: t('home.failedQuestions'), value: sum.failed, to: `${conversations}&failed=true` },
          { label: t('home.medianTime'), value: medianMs, write: duration, to: usage },
          { label: t('home.tokens'), value: tokensOf(sum), to: usage },
          {
            label: t('home.badRatings'),
            value: bad?.data.length,
            more: bad?.nextCursor !== null && bad !== undefined,
            to: `${conversations}&rating=THUMBS_DOWN`,
          },
        ]}
      />
      {days.length > 7 && (
        <>
          <DayChart
            small
            label={chart}
            bars={days.map(({ day, questions, failed }) => ({
              day,
              value: questions,
              bad: failed,
              words: t('home.dayOf', { day: dayOfUtc(day), questions: number(questions) }),
            }))}
          />
          <DayTable
            summary={t('home.table')}
            caption={t('home.table')}
            days={days}
            columns={[
              { id: 'day', header: t('home.day'), cell: ({ day }) => dayOfUtc(day) },
              numberColumn('questions', t('home.questions')),
              numberColumn('failed', t('home.failedQuestions')),
            ]}
          />
        </>
      )}
    </div>
  );
}
