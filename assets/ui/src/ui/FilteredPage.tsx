import type { ReactNode } from 'react';
import { t } from '../i18n';
import { Button } from './Button';
import { Input } from './Field';
import css from './FilteredPage.module.css';
import { NoAccess } from './ListPage';
import { Loaded, type QueryLike } from './Loaded';
import { Page, PageHeader, Toolbar } from './PageHeader';
import { Pager } from './Pager';
import { Select, type SelectProps } from './Select';
import { FilteredEmpty } from './States';

/** A page of records, and how many there are in all. */
export interface RecordPage<Row> {
  data: readonly Row[];
  total: number;
}

export interface FilteredPageProps<Row> {
  title: string;
  description: string;
  /** What somebody needs who may not see the records. */
  missing: string | null;
  /** Names the filters for screen readers. */
  label: string;
  filters: ReactNode;
  /** Whether any filter is set. */
  filtered: boolean;
  onClear: () => void;
  /** Between the filters and the records. */
  between?: ReactNode;
  query: QueryLike<RecordPage<Row>>;
  page: number;
  limit: number;
  onPage: (page: number) => void;
  /** Shown where there is nothing at all. */
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Records that are read a page at a time, by filters that stand in the address. */
export function FilteredPage<Row>(props: FilteredPageProps<Row>): ReactNode {
  const { title, missing, filtered, onClear, query, page, limit, onPage, empty, children } = props;
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
      <PageHeader title={title} description={props.description} />
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
        {({ data, total }) =>
          data.length > 0 ? (
            <>
              {children(data)}
              <Pager page={page} limit={limit} total={total} onPage={onPage} />
            </>
          ) : filtered || page > 1 ? (
            <FilteredEmpty onClear={onClear} />
          ) : (
            empty
          )
        }
      </Loaded>
    </Page>
  );
}

/** A filter that is one of a list. */
export const FilterSelect = (props: SelectProps): ReactNode => <Select {...props} className={css.filter} />;

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
        value={value}
        onChange={(event) => onChange(name, event.target.value)}
      />
    </label>
  );
  return (
    <div className={css.days}>
      {day('since', from, since)}
      {day('until', to, until)}
    </div>
  );
}
