import { Plus, type LucideIcon } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { includesWords } from '../core/words';
import { t } from '../i18n';
import { Button } from './Button';
import { useActions } from './hooks';
import css from './ListPage.module.css';
import { Loaded, type QueryLike } from './Loaded';
import { NoAccess } from './NoAccess';
import { Page, PageHeader, Toolbar } from './PageHeader';
import { SearchField } from './SearchField';
import { EmptyState, FilteredEmpty } from './States';
import { useAddress } from './useAddress';

export interface ListPageProps<Row> {
  title: string;
  description?: ReactNode;
  icon: LucideIcon;
  query: QueryLike<readonly Row[]>;
  /** The permission it needs, when the person lacks it. */
  missing?: string | false;
  /** Makes a new one. */
  create?: { label: string; onClick: () => void } | null | false;
  /** Why there is no button to make one. */
  viewOnly?: string | false;
  /** When there is nothing at all. */
  empty: { title: string; text: string };
  search: { label: string; words: (row: Row) => readonly (string | null | undefined)[] };
  /** More filters: which rows pass, which names in the address they use, how they are drawn. */
  filters?: { names: readonly string[]; pass: (row: Row) => boolean; tools: ReactNode };
  /** Says how many are shown, for screen readers. */
  found: (count: number) => string;
  /** Draws what stands around the list and below the heading, such as tabs between lists. */
  around?: (list: ReactNode) => ReactNode;
  /** Between the heading and the list, and after it. */
  above?: ReactNode;
  below?: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** A page with one list: heading, search and filters kept in the address, and all the states a list has. */
export function ListPage<Row>(props: ListPageProps<Row>): ReactNode {
  const { title, description, icon, query, missing, create, viewOnly, empty, above, below, around } = props;
  const label = create ? create.label : '';
  const onClick = create ? create.onClick : undefined;
  useActions(useMemo(() => (onClick ? [{ id: `new ${label}`, label, run: onClick }] : []), [label, onClick]));
  const button = create && (
    <Button variant="primary" icon={Plus} onClick={create.onClick}>
      {create.label}
    </Button>
  );
  if (missing) {
    return (
      <Page>
        <PageHeader title={title} />
        <NoAccess permission={missing} />
      </Page>
    );
  }
  const list = (
    <>
      {above}
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icon} title={empty.title} actions={button}>
              {viewOnly && !button ? viewOnly : empty.text}
            </EmptyState>
          ) : (
            <Filtered {...props} rows={rows} />
          )
        }
      </Loaded>
      {below}
    </>
  );
  return (
    <Page>
      <PageHeader
        title={title}
        description={description}
        actions={
          query.data?.length === 0 ? null : button || (viewOnly && <p className={css.viewOnly}>{viewOnly}</p>)
        }
      />
      {around ? around(list) : list}
    </Page>
  );
}

function Filtered<Row>(props: ListPageProps<Row> & { rows: readonly Row[] }): ReactNode {
  const { rows, title, search, filters, found, children } = props;
  const { read, put, clear } = useAddress();
  const typed = read('q');
  const shown = rows.filter((row) => includesWords(search.words(row), typed) && (filters?.pass(row) ?? true));
  const names = ['q', ...(filters?.names ?? [])];
  const clearAll = (): void => clear(names);
  return (
    <>
      <Toolbar label={title}>
        <SearchField label={search.label} value={typed} onChange={(q) => put({ q })} />
        {filters?.tools}
        {names.some((name) => name !== 'q' && read(name)) && (
          <Button variant="ghost" onClick={clearAll}>
            {t('kit.clearFilters')}
          </Button>
        )}
      </Toolbar>
      <p className="sr-only" role="status">
        {found(shown.length)}
      </p>
      {shown.length === 0 ? <FilteredEmpty onClear={clearAll} /> : children(shown)}
    </>
  );
}
