import type { ReactNode } from 'react';
import { dayOfUtc, number } from '../core/format';
import { cx } from './cx';
import css from './DayChart.module.css';
import { Table, type Column } from './Table';

export interface DayBar {
  /** A day of UTC, `2026-11-29`. */
  day: string;
  value: number;
  /** The part of the value that went wrong; it stands at the foot of the bar. */
  bad?: number;
  /** What is told of the day under the pointer. */
  words: string;
}

export interface DayChartProps {
  bars: readonly DayBar[];
  /** All of it in a sentence, for those who do not look at it. */
  label: string;
  small?: boolean;
}

export interface DayTableProps<Row> {
  /** What opens it. */
  summary: string;
  caption: string;
  /** As the chart has them, the oldest first. */
  days: readonly Row[];
  columns: readonly Column<Row>[];
}

/** The numbers behind the bars, for those who do not look at them; the newest day first. */
export function DayTable<Row extends { day: string }>(props: DayTableProps<Row>): ReactNode {
  const { summary, days, ...table } = props;
  return (
    <details className={css.table}>
      <summary>{summary}</summary>
      <Table {...table} rows={[...days].reverse()} rowKey={({ day }) => day} />
    </details>
  );
}

const HEIGHT = 100;
/** What happened at all is seen, however much happened on other days. */
const LEAST = 2;

/** A bar for each day. Whoever draws it gives the same numbers as a table beside it. */
export function DayChart({ bars, label, small }: DayChartProps): ReactNode {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const high = (value: number): number =>
    value === 0 ? 0 : Math.max(LEAST, (value / Math.max(most, 1)) * HEIGHT);
  const [first, last] = [bars[0], bars.at(-1)];
  const wide = bars.length > 120 ? 1 : 0.8;
  return (
    <figure className={cx(css.chart, small && css.small)}>
      {!small && (
        <span className={css.most} aria-hidden>
          {number(most)}
        </span>
      )}
      <svg
        className={css.bars}
        viewBox={`0 0 ${Math.max(bars.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map(({ day, value, bad = 0, words }, at) => {
          const [whole, wrong] = [high(value), Math.min(high(bad), high(value))];
          const x = at + (1 - wide) / 2;
          return (
            <g key={day} className={css.day}>
              <title>{words}</title>
              <rect className={css.place} x={at} y={0} width={1} height={HEIGHT} />
              {whole > 0 && (
                <rect className={css.bar} x={x} y={HEIGHT - whole} width={wide} height={whole - wrong} />
              )}
              {wrong > 0 && <rect className={css.bad} x={x} y={HEIGHT - wrong} width={wide} height={wrong} />}
            </g>
          );
        })}
      </svg>
      {!small && first && last && (
        <figcaption className={css.ends} aria-hidden>
          <span>{dayOfUtc(first.day)}</span>
          <span>{dayOfUtc(last.day)}</span>
        </figcaption>
      )}
    </figure>
  );
}
