import { t } from '../i18n';
import { RelativeTime } from './RelativeTime';
import css from './Table.module.css';
import type { Column } from './Table';
import { UsedBy, type FlowUses } from './UsedBy';

/** The column with the flows that use a row, found by `key`; none where the service does not count them. */
export function usedByColumn<Row extends { name: string }>(
  uses: Readonly<Record<string, FlowUses>> | null | undefined,
  key: (row: Row) => string,
): Column<Row>[] {
  if (!uses) return [];
  return [
    {
      id: 'used',
      header: t('kit.usedBy'),
      wideOnly: true,
      cell: (row) => <UsedBy name={row.name} {...(uses[key(row)] ?? { count: 0, drafts: 0, flows: [] })} />,
    },
  ];
}

/** A column that says how long ago something was. */
export function dateColumn<Row>(header: string, date: (row: Row) => string | null): Column<Row> {
  return {
    id: 'date',
    header,
    align: 'end',
    wideOnly: true,
    cell: (row) => {
      const at = date(row);
      return at && <RelativeTime date={at} className={css.date} />;
    },
  };
}

/** The column that says when a row was changed. */
export const updatedColumn = <Row extends { updatedDate: string | null }>(): Column<Row> =>
  dateColumn(t('kit.changed'), (row) => row.updatedDate);
