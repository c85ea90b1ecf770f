import { RelativeTime } from './RelativeTime';
import type { Column } from './Table';
import { UsedBy, type UsedByProps } from './UsedBy';

type Uses = Readonly<Record<string, Omit<UsedByProps, 'name'>>>;

/** The column with the flows that use a row, found by `key`; none where the service does not count them. */
export function usedByColumn<Row extends { name: string }>(
  header: string,
  uses: Uses | null | undefined,
  key: (row: Row) => string,
): Column<Row>[] {
  if (!uses) return [];
  return [
    {
      id: 'used',
      header,
      wideOnly: true,
      cell: (row) => <UsedBy name={row.name} {...(uses[key(row)] ?? { count: 0, flows: [] })} />,
    },
  ];
}

/** The column that says when a row was changed. */
export function updatedColumn<Row extends { updatedDate: string }>(
  header: string,
  className: string | undefined,
): Column<Row> {
  return {
    id: 'updated',
    header,
    align: 'end',
    wideOnly: true,
    cell: (row) => <RelativeTime date={row.updatedDate} className={className} />,
  };
}
