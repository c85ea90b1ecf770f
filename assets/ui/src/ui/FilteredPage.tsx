import type { ReactNode } from 'react';
import { briefTime } from '../core/format';
import { dayHere, isMoment } from '../core/paging';
import { t } from '../i18n';
import { Button } from './Button';
import { Input } from './Field';
import css from './FilteredPage.module.css';
import { NoAccess } from './NoAccess';
import { Loaded, type QueryLike } from './Loaded';
import { Page, PageHeader, Toolbar } from './PageHeader';
import { Pager, type PagerProps } from './Pager';
import { Select, type SelectProps } from './Select';
import { FilteredEmpty } from './States';
import { useAddress } from './useAddress';

export interface FilteredListProps<Found extends { data: readonly unknown[] }> {
  /** Names the filters for screen readers. */
  label: string;
  filters: ReactNode;
  /** Whether any filter is set. */
  filtered: boolean;
  onClear: () => void;
  /** Between the filters and the records. */
  between?: ReactNode;
  /** Between the records and the end of the page; also where there are none. */
  below?: ReactNode;
  query: QueryLike<Found>;
  /** Records come before those that were asked for. */
  further: boolean;
  /** Shown where there is nothing at all. */
  empty: ReactNode;
  /** Draws the records, and the way to others. */
  children: (found: Found) => ReactNode;
}

export interface FilteredPageProps<
  Found extends { data: readonly unknown[] },
> extends FilteredListProps<Found> {
  title: string;
  description: string;
  /** What somebody needs who may not see the records. */
  missing: string | null;
}

/** A page of such a list alone. */
export function FilteredPage<Found extends { data: readonly unknown[] }>(
  props: FilteredPageProps<Found>,
): ReactNode {
  const { title, description, missing, ...list } = props;
  if (missing !== null) {
    return (
      <Page>
        <PageHeader title={title} />
        <NoAccess permission={missing} />
      </Page>
    );
  }
  return (
    <Page>
      <PageHeader title={title} description={description} />
      <FilteredList {...list} />
    </Page>
  );
}

/** Records that are read a page at a time, by filters that stand in the address. */
export function FilteredList<Found extends { data: readonly unknown[] }>(
  props: FilteredListProps<Found>,
): ReactNode {
  const { filtered, onClear, query, further, empty, children } = props;
  return (
    <>
      <Toolbar label={props.label}>
        {props.filters}
        {filtered && (
          <Button variant="ghost" onClick={onClear}>
            {t('kit.clearFilters')}
          </Button>
        )}
      </Toolbar>
      {props.between}
      <Loaded query={query}>
        {(found) =>
          found.data.length > 0 ? (
            children(found)
          ) : filtered || further ? (
            <FilteredEmpty onClear={onClear} />
          ) : (
            empty
          )
        }
      </Loaded>
      {props.below}
    </>
  );
}

/** The way to other pages of records that are counted; the address keeps which one it is. */
export function CountedPager(props: Omit<PagerProps, 'onPage'>): ReactNode {
  const { put } = useAddress();
  return <Pager {...props} onPage={(next) => put({ page: next > 1 ? String(next) : '' })} />;
}

/** A filter that is one of a list. */
export const FilterSelect = (props: SelectProps): ReactNode => <Select {...props} className={css.filter} />;

export interface FlowFilterProps {
  label: string;
  /** What stands for all of them. */
  any: string;
  /** The id of the chosen one; empty for all. */
  value: string;
  /** In the order in which they are offered. */
  flows: readonly { id: string; name: string }[];
}

/** Chooses one flow, or all; the address keeps it as `flow`. */
export function FlowFilter({ label, any, value, flows }: FlowFilterProps): ReactNode {
  const { put } = useAddress();
  return (
    <FilterSelect
      aria-label={label}
      value={value}
      onChange={(flow) => put({ flow, page: '', cursor: '' })}
      options={[{ value: '', label: any }, ...flows.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

export interface DayFiltersProps {
  /** The words before the two days. */
  from: string;
  to: string;
  since: string;
  until: string;
  onChange: (name: 'since' | 'until', day: string) => void;
}

/** From which day to which. */
export function DayFilters({ from, to, since, until, onChange }: DayFiltersProps): ReactNode {
  const day = (name: 'since' | 'until', words: string, value: string): ReactNode => (
    <label className={css.day}>
      {words}
      <Input
        type="date"
        className={css.date}
        value={dayHere(value)}
        onChange={(event) => onChange(name, event.target.value)}
      />
    </label>
  );
  return (
    <div className={css.days}>
      {day('since', from, since)}
      {day('until', to, until)}
      {/* Days of UTC begin at another time here, which the fields cannot say. */}
      {isMoment(since) && <span className="note">{t('kit.fromTime', { time: briefTime(since) })}</span>}
      {isMoment(until) && <span className="note">{t('kit.toTime', { time: briefTime(until) })}</span>}
    </div>
  );
}
