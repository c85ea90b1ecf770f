import { Contact, Download } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { everyLead, useEveryLead, useLeads, type Lead } from '../../api/conversations';
import { csv } from '../../core/csv';
import { includesWords } from '../../core/words';
import {
  Button,
  dateColumn,
  EmptyState,
  Menu,
  rowLink,
  SearchField,
  Table,
  useAddress,
  useSettled,
  type Column,
} from '../../ui';
import { FilteredList, FlowFilter } from '../../ui/FilteredPage';
import css from './Conversations.module.css';
import { CursorPager } from './CursorPager';
import type { ListProps } from './list';
import { useFiles } from './useExport';
import { LIMIT } from './view';
import { t } from './words';

interface VisitorListProps extends Omit<ListProps, 'meant'> {
  /** The flows are known. */
  loaded: boolean;
}

/** Who left a name, an address or a number in a chat. */
export function VisitorList({ flows, flow, loaded }: VisitorListProps): ReactNode {
  const { read, put, clear } = useAddress();
  const words = useSettled(read('q').trim(), 300);
  const cursor = read('cursor');
  const id = flow?.id ?? null;
  const some = useLeads(id, cursor, LIMIT, loaded && !words);
  const every = useEveryLead(id, loaded && words !== '');
  const found = useMemo(
    () => every.data?.filter((one) => includesWords([one.name, one.email, one.phone, one.flowName], words)),
    [every.data, words],
  );
  return (
    <FilteredList
      label={t('conversations.filters')}
      filters={
        <>
          <SearchField
            label={t('conversations.searchVisitors')}
            value={read('q')}
            onChange={(q) => put({ q, cursor: '' })}
          />
          <FlowFilter
            label={t('conversations.flow')}
            any={t('conversations.anyFlow')}
            value={id ?? ''}
            flows={flows}
          />
        </>
      }
      filtered={names.some((name) => read(name))}
      onClear={() => clear([...names, 'cursor'])}
      query={words ? { ...every, data: found && { data: found, nextCursor: null } } : some}
      further={cursor !== ''}
      empty={
        <EmptyState icon={Contact} title={t('conversations.noVisitors')}>
          {t('conversations.noVisitorsText')}
        </EmptyState>
      }
    >
      {({ data, nextCursor }) => (
        <>
          <div className={css.tools}>
            <p className="muted" role="status">
              {words && t('conversations.foundVisitors', { count: data.length })}
            </p>
            <ExportVisitors rows={() => (words ? Promise.resolve(data) : everyLead(id))} />
          </div>
          <Table
            caption={t('conversations.visitors')}
            columns={columns(!flow)}
            rows={data}
            rowKey={(lead) => lead.id}
          />
          {!words && <CursorPager cursor={cursor} next={nextCursor} />}
        </>
      )}
    </FilteredList>
  );
}

const names = ['q', 'flow'];

/** Each names its flow where they are of several. */
const columns = (several: boolean): Column<Lead>[] => [
  {
    id: 'name',
    header: t('kit.name'),
    cell: ({ name, email, phone, chatflowid, chatId, flowName }) => (
      <span className={css.name}>
        <Link href={`/conversations/${chatflowid}/${chatId}`} className={rowLink}>
          {name ?? email ?? phone ?? t('conversations.nameless')}
        </Link>
        {several && <span className="note">{flowName}</span>}
      </span>
    ),
  },
  {
    id: 'email',
    header: t('conversations.email'),
    cell: ({ email }) => <span className={css.asked}>{email}</span>,
  },
  { id: 'phone', header: t('conversations.phone'), wideOnly: true, cell: ({ phone }) => phone },
  dateColumn(t('conversations.left'), ({ createdDate }) => createdDate),
];

/** Hands over all that is meant, not only the page in view. */
function ExportVisitors({ rows }: { rows: () => Promise<readonly Lead[]> }): ReactNode {
  const { busy, save } = useFiles();
  const json = async (): Promise<string> => JSON.stringify(await rows(), null, 2);
  const table = async (): Promise<string> =>
    csv([
      ['time', 'flow', 'name', 'email', 'phone', 'conversation'],
      ...(await rows()).map((one) => [
        one.createdDate,
        one.flowName,
        one.name,
        one.email,
        one.phone,
        one.chatId,
      ]),
    ]);
  return (
    <Menu
      items={[
        {
          label: t('conversations.leadsJson'),
          onSelect: save('visitors.json', 'application/json', json),
        },
        { label: t('conversations.leadsCsv'), onSelect: save('visitors.csv', 'text/csv', table) },
      ]}
    >
      <Button icon={Download} busy={busy}>
        {t('conversations.export')}
      </Button>
    </Menu>
  );
}
