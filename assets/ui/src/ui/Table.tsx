import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { number } from '../core/format';
import { t } from '../i18n';
import { cx } from './cx';
import { scrollRegion } from './scrollRegion';
import css from './Table.module.css';
import { useRowWindow } from './useRowWindow';

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

/** A column of counts: of what each row has under this name. */
export const numberColumn = <Name extends string>(
  name: Name,
  header: string,
  wideOnly = false,
): Column<Readonly<Record<Name, number>>> => ({
  id: name,
  header,
  align: 'end',
  wideOnly,
  cell: (row) => number(row[name]),
});

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

/** How high a row of one line is, in pixels. */
const ROW = 41;

/**
 * The first column is each row's name. Give its link the class `rowLink` to make the whole row lead there. Of a long table
 * only the rows that one sees are built.
 */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { caption, columns, rows, rowKey, sort, onSort, selected, className } = props;
  const { box, runs, after, parted } = useRowWindow<HTMLTableElement>(rows.length, ROW);
  const of = (column: Column<Row>): string =>
    cx(column.align === 'end' && css.end, column.wideOnly && css.wide, !column.header && css.tools);
  return (
    <div ref={scrollRegion} className={cx(css.frame, className)}>
      <table ref={box} className={css.table} {...(parted ? { 'aria-rowcount': rows.length + 1 } : {})}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr {...(parted ? { 'aria-rowindex': 1 } : {})}>
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
          {runs.flatMap(({ space, from, to }, run) => [
            <Space key={`space ${run}`} height={space} columns={columns.length} />,
            ...rows.slice(from, to).map((row, place) => (
              <tr
                key={rowKey(row)}
                data-selected={selected?.(row) || undefined}
                {...(parted ? { 'data-at': from + place, 'aria-rowindex': from + place + 2 } : {})}
              >
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
            )),
          ])}
          <Space height={after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands for rows that are left out. */
const Space = ({ height, columns }: { height: number; columns: number }): ReactNode =>
  height > 0 && (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ blockSize: height, padding: 0 }} />
    </tr>
  );

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
