import { Download, MessagesSquare, ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useConversations, useCounts, type Conversation, type MessageFilter } from '../../api/conversations';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import { compareNames, number } from '../../core/format';
import { pageOf } from '../../core/paging';
import {
  Badge,
  Button,
  dateColumn,
  EmptyState,
  Menu,
  rowLink,
  Table,
  useAddress,
  type Column,
} from '../../ui';
import { DayFilters, FilteredPage, FilterSelect } from '../../ui/FilteredPage';
import css from './Conversations.module.css';
import { DeleteMessages } from './DeleteMessages';
import { useExport } from './useExport';
import { filterNames, filterOf, LIMIT, ratings, sources } from './view';
import { t } from './words';

const VIEW = ['chatflows:view', 'agentflows:view', 'assistants:view'];
const WRITE = ['chatflows:delete', 'agentflows:delete', 'chatflows:update', 'agentflows:update'];
const EXPORT = ['chatflows:export', 'agentflows:export', 'workspace:export'];

/** What people asked of a flow, a page at a time. */
export default function ConversationsPage(): ReactNode {
  const can = useCan();
  const maySee = can(...VIEW);
  const { read, put } = useAddress();
  const flows = useFlows();
  const sorted = [...(flows.data ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const asked = read('flow');
  // Without one in the address, the one that was changed last.
  const newest = [...sorted].sort((a, b) => b.updatedDate.localeCompare(a.updatedDate))[0];
  const flow = sorted.find(({ id }) => id === asked)?.id ?? newest?.id ?? '';
  const filter = filterOf(read);
  const page = pageOf(read('page'));
  const rows = useConversations(maySee ? flow : '', filter, page, LIMIT);
  const [deleting, setDeleting] = useState(false);
  const filtered = filterNames.some((name) => read(name));
  const clear = (): void => put(Object.fromEntries([...filterNames, 'page'].map((name) => [name, ''])));
  const none = flows.data?.length === 0;
  return (
    <>
      <FilteredPage
        title={t('conversations.title')}
        description={t('conversations.description')}
        missing={maySee ? null : (VIEW[0] ?? null)}
        label={t('conversations.filters')}
        filters={<Filters flow={flow} flows={sorted.map(({ id, name }) => ({ value: id, label: name }))} />}
        filtered={filtered}
        onClear={clear}
        between={
          flow && (
            <div className={css.tools}>
              <Summary flow={flow} filter={filter} />
              {can(...EXPORT) && <ExportMenu flow={flow} filter={filter} />}
              {filtered && can(...WRITE) && (
                <Button icon={Trash2} onClick={() => setDeleting(true)}>
                  {t('conversations.deleteFilter')}
                </Button>
              )}
            </div>
          )
        }
        query={none ? nothing : rows}
        page={page}
        limit={LIMIT}
        onPage={(next) => put({ page: next > 1 ? String(next) : '' })}
        empty={
          <EmptyState
            icon={MessagesSquare}
            title={t(none ? 'conversations.noFlows' : 'conversations.empty')}
            actions={
              <Button asChild>
                <Link href={none ? '/' : `/flows/${flow}`}>
                  {t(none ? 'app.flows' : 'conversations.toFlow')}
                </Link>
              </Button>
            }
          >
            {t(none ? 'conversations.noFlowsText' : 'conversations.emptyText')}
          </EmptyState>
        }
      >
        {(data) => (
          <Table
            caption={t('conversations.title')}
            columns={columns(flow)}
            rows={data}
            rowKey={({ chatId }) => chatId}
          />
        )}
      </FilteredPage>
      {deleting && <DeleteMessages flow={flow} filter={filter} onClose={() => setDeleting(false)} />}
    </>
  );
}

const nothing = { data: { data: [], total: 0 }, error: null, refetch: () => undefined };

const columns = (flow: string): Column<Conversation>[] => [
  {
    id: 'question',
    header: t('conversations.question'),
    cell: ({ chatId, firstQuestion, leadName, leadEmail }) => {
      const name = leadName ?? leadEmail;
      return (
        <span className={css.name}>
          <Link href={`/conversations/${flow}/${chatId}`} className={rowLink}>
            <span className={css.first}>{firstQuestion ?? t('conversations.nothingAsked')}</span>
          </Link>
          {name && <span className="note">{t('conversations.visitor', { name })}</span>}
        </span>
      );
    },
  },
  {
    id: 'source',
    header: t('conversations.source'),
    width: '140px',
    wideOnly: true,
    cell: ({ chatType }) => chatType && <Badge>{t(`conversations.source.${chatType}`)}</Badge>,
  },
  {
    id: 'rating',
    header: t('conversations.rating'),
    width: '90px',
    cell: ({ positiveFeedback, negativeFeedback }) => (
      <span className="inline">
        {positiveFeedback > 0 && <Rated up count={positiveFeedback} />}
        {negativeFeedback > 0 && <Rated up={false} count={negativeFeedback} />}
      </span>
    ),
  },
  {
    id: 'messages',
    header: t('conversations.messages'),
    align: 'end',
    wideOnly: true,
    cell: ({ messages }) => number(messages),
  },
  dateColumn(t('conversations.at'), ({ updatedDate }) => updatedDate),
];

function Rated({ up, count }: { up: boolean; count: number }): ReactNode {
  return (
    <Badge tone={up ? 'success' : 'danger'} icon={up ? ThumbsUp : ThumbsDown}>
      <span className="sr-only">{t(up ? 'conversations.liked' : 'conversations.disliked')} </span>
      {number(count)}
    </Badge>
  );
}

function Summary({ flow, filter }: { flow: string; filter: MessageFilter }): ReactNode {
  const counts = useCounts(flow, filter).data;
  if (!counts) return <p className="muted" />;
  const { totalMessages, totalSessions, totalFeedback, positiveFeedback } = counts;
  return (
    <p className="muted" role="status">
      {t('conversations.summary', {
        messages: number(totalMessages),
        sessions: number(totalSessions),
        good: number(positiveFeedback),
        rated: number(totalFeedback),
      })}
    </p>
  );
}

function ExportMenu({ flow, filter }: { flow: string; filter: MessageFilter }): ReactNode {
  const { busy, json, table, visitors } = useExport(flow, filter);
  return (
    <Menu
      items={[
        { label: t('conversations.json'), onSelect: json },
        { label: t('conversations.csv'), onSelect: table },
        { label: t('conversations.leadsCsv'), onSelect: visitors },
      ]}
    >
      <Button icon={Download} busy={busy}>
        {t('conversations.export')}
      </Button>
    </Menu>
  );
}

function Filters(props: { flow: string; flows: readonly { value: string; label: string }[] }): ReactNode {
  const { read, put } = useAddress();
  const set = (name: string, value: string): void => put({ [name]: value, page: '' });
  return (
    <>
      <FilterSelect
        aria-label={t('conversations.flow')}
        value={props.flow}
        onChange={(next) => set('flow', next)}
        options={props.flows}
      />
      <FilterSelect
        aria-label={t('conversations.source')}
        value={read('source')}
        onChange={(next) => set('source', next)}
        options={[
          { value: '', label: t('conversations.anySource') },
          ...sources.map((value) => ({ value, label: t(`conversations.source.${value}`) })),
        ]}
      />
      <FilterSelect
        aria-label={t('conversations.rating')}
        value={read('rating')}
        onChange={(next) => set('rating', next)}
        options={[
          { value: '', label: t('conversations.anyRating') },
          ...ratings.map((value) => ({
            value,
            label: t(value === 'THUMBS_UP' ? 'conversations.liked' : 'conversations.disliked'),
          })),
        ]}
      />
      <DayFilters
        from={t('conversations.from')}
        to={t('conversations.to')}
        since={read('since')}
        until={read('until')}
        onChange={set}
      />
    </>
  );
}
