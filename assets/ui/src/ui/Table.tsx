import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../i18n';
import { cx } from './cx';
import { scrollRegion } from './scrollRegion';
import css from './Table.module.css';

export interface Column<Row> {
  id: string;
  /** Use an empty text only for a column of buttons. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** A CSS width. */
  width?: string;
  sortable?: boolean;
  /** Left out on narrow pages. */
  wideOnly?: boolean;
}

export interface Sort {
  by: string;
  down: boolean;
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Marks a row as chosen. */
  selected?: (row: Row) => boolean;
  className?: string;
}

/** The first column is each row's name. Give its link the class `rowLink` to make the whole row lead there. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { caption, columns, rows, rowKey, sort, onSort, selected, className } = props;
  const of = (column: Column<Row>): string =>
    cx(column.align === 'end' && css.end, column.wideOnly && css.wide, !column.header && css.tools);
  return (
    <div ref={scrollRegion} className={cx(css.frame, className)}>
      <table className={css.table}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={of(column)}
                style={column.width ? { inlineSize: column.width } : undefined}
                aria-sort={sort?.by === column.id ? (sort.down ? 'descending' : 'ascending') : undefined}
              >
                <Heading column={column} sort={sort} onSort={onSort} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-selected={selected?.(row) || undefined}>
              {columns.map((column, at) =>
                at === 0 ? (
                  <th key={column.id} scope="row" className={of(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} className={of(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The class of the link that makes a whole row lead somewhere. */
export const rowLink = css.rowLink ?? '';

function Heading<Row>(props: { column: Column<Row>; sort?: Sort; onSort?: (sort: Sort) => void }): ReactNode {
  const { column, sort, onSort } = props;
  if (!column.header) return <span className="sr-only">{t('kit.actions')}</span>;
  if (!column.sortable || !onSort) return column.header;
  const here = sort?.by === column.id;
  const Icon = here && sort.down ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      className={css.sort}
      onClick={() => onSort({ by: column.id, down: here ? !sort.down : false })}
    >
      {column.header}
      <Icon size={12} aria-hidden className={here ? css.shown : css.hint} />
    </button>
  );
}
