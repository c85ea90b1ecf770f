import type { ReactNode } from 'react';
import { useRowWindow } from './useRowWindow';

export interface ListProps<Row> {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What the list holds, for screen readers. */
  label?: string;
  className?: string | undefined;
  itemClassName?: string | undefined;
  /** How high an item is about, in pixels. */
  guess: number;
  children: (row: Row) => ReactNode;
}

/** A list of parts that are more than a line of a table, below each other or in a grid. A long one builds what one sees. */
export function List<Row>(props: ListProps<Row>): ReactNode {
  const { rows, rowKey, label, className, itemClassName, guess, children } = props;
  const { box, runs, after, parted } = useRowWindow<HTMLUListElement>(rows.length, guess);
  return (
    <ul ref={box} className={className} aria-label={label}>
      {runs.flatMap(({ space, from, to }, run) => [
        <Space key={`space ${run}`} height={space} />,
        ...rows.slice(from, to).map((row, at) => (
          <li
            key={rowKey(row)}
            className={itemClassName}
            {...(parted
              ? { 'data-at': from + at, 'aria-posinset': from + at + 1, 'aria-setsize': rows.length }
              : {})}
          >
            {children(row)}
          </li>
        )),
      ])}
      <Space height={after} />
    </ul>
  );
}

const Space = ({ height }: { height: number }): ReactNode =>
  height > 0 && <li aria-hidden="true" style={{ gridColumn: '1 / -1', blockSize: height }} />;
