import { CircleX, MessagesSquare, ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import {
  useConversations,
  useCounts,
  type ConversationFilter,
  type FlowConversation,
  type MessageFilter,
} from '../../api/conversations';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import { compareNames, number } from '../../core/format';
import { SEES_FLOWS } from '../../core/permissions';
import {
  Badge,
  Button,
  dateColumn,
  EmptyState,
  NoAccess,
  numberColumn,
  Page,
  PageHeader,
  rowLink,
  SearchField,
  Table,
  Tabs,
  useAddress,
  useSettled,
  type Column,
} from '../../ui';
import { DayFilters, FilteredList, FilterSelect, FlowFilter } from '../../ui/FilteredPage';
import css from './Conversations.module.css';
import { CursorPager, StoppedEarly } from './CursorPager';
import { DeleteConversations } from './DeleteConversations';
import { ExportMenu } from './ExportMenu';
import { EXPORT, type ListProps } from './list';
import {
  filterNames,
  filterOf,
  LIMIT,
  outcomeOf,
  outcomes,
  ratings,
  searchNames,
  searchOf,
  sources,
} from './view';
import { VisitorList } from './VisitorList';
import { t } from './words';

const WRITE = ['chatflows:delete', 'agentflows:delete', 'chatflows:update', 'agentflows:update'];
/** Messages are counted flow by flow: of more flows than this that would be too many calls for one line. */
const COUNTED = 20;

/** What people asked, of one flow or of all, and who left a name. */
export default function ConversationsPage(): ReactNode {
  const maySee = useCan()(...SEES_FLOWS);
  const { read, put, clear } = useAddress();
  const flows = useFlows();
  if (!maySee)
    return (
      <Page>
        <PageHeader title={t('conversations.title')} />
        <NoAccess permission={SEES_FLOWS[0] ?? ''} />
      </Page>
    );
  const sorted = [...(flows.data ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const flow = sorted.find(({ id }) => id === read('flow')) ?? null;
  const shared = { flows: sorted, flow, meant: flow ? [flow] : sorted };
  const value: Name = read('tab') === 'visitors' ? 'visitors' : 'conversations';
  return (
    <Page>
      <PageHeader title={t('conversations.title')} description={t('conversations.description')} />
      <Tabs<Name>
        label={t('conversations.kinds')}
        value={value}
        onChange={(next) => {
          clear(cleared);
          put({ tab: next === 'visitors' ? next : '' });
        }}
        tabs={[
          { value: 'conversations', label: t('conversations.title') },
          { value: 'visitors', label: t('conversations.visitors') },
        ]}
        panelClassName={css.panel}
      >
        {value === 'visitors' ? (
          <VisitorList {...shared} loaded={flows.data !== undefined} />
        ) : (
          <ConversationList {...shared} none={flows.data?.length === 0} />
        )}
      </Tabs>
    </Page>
  );
}

type Name = 'conversations' | 'visitors';
const cleared = [...filterNames, 'cursor'];

function ConversationList(props: ListProps & { none: boolean }): ReactNode {
  const { flows, flow, meant, none } = props;
  const can = useCan();
  const { read, clear } = useAddress();
  // Words are typed: the service reads many messages for them, so they are looked for when the typing pauses.
  const words = useSettled(read('q'), 300);
  const asked = (name: string): string => (name === 'q' ? words : read(name));
  const filter = filterOf(asked);
  const cursor = read('cursor');
  const ids = meant.map(({ id }) => id);
  const search = searchOf(asked, flow?.id ?? '');
  const found = useConversations(search, cursor, LIMIT, !none);
  // Messages are counted by what is said of messages alone.
  const searched = searchNames.some((name) => read(name));
  // What goes for good is what stands in the address, also while the list waits for the typing to pause.
  const shown = searchOf(read, flow?.id ?? '');
  const chosen = Object.keys(shown).some((name) => name !== 'flowId');
  const [deleting, setDeleting] = useState<ConversationFilter | null>(null);
  const filtered = filterNames.some((name) => read(name));
  return (
    <>
      <FilteredList
        label={t('conversations.filters')}
        filters={<Filters flow={flow} flows={flows} />}
        filtered={filtered}
        onClear={() => clear([...filterNames, 'cursor'])}
        between={
          ids.length > 0 && (
            <div className={css.tools}>
              {searched || ids.length > COUNTED || (filter.text && !flow) ? (
                <p />
              ) : (
                <Summary flows={ids} filter={filter} />
              )}
              {can('executions:view') && (
                <Link href={`/executions?state=ERROR${flow ? `&flow=${flow.id}` : ''}`} className={css.link}>
                  {t('conversations.failed')}
                </Link>
              )}
              {can(...EXPORT) && (
                <ExportMenu flows={ids} filter={filter} search={searched || filter.text ? search : null} />
              )}
              {chosen && can(...WRITE) && (
                <Button icon={Trash2} onClick={() => setDeleting(shown)}>
                  {t('conversations.deleteFilter')}
                </Button>
              )}
            </div>
          )
        }
        below={found.data?.stoppedEarly && <StoppedEarly next={found.data.nextCursor} />}
        query={none ? nothing : found}
        further={cursor !== ''}
        empty={
          <EmptyState
            icon={MessagesSquare}
            title={t(none ? 'conversations.noFlows' : 'conversations.empty')}
            actions={
              <Button asChild>
                <Link href={flow ? `/flows/${flow.id}` : '/'}>
                  {t(flow ? 'conversations.toFlow' : 'app.flows')}
                </Link>
              </Button>
            }
          >
            {t(
              none
                ? 'conversations.noFlowsText'
                : flow
                  ? 'conversations.emptyText'
                  : 'conversations.emptyAllText',
            )}
          </EmptyState>
        }
      >
        {({ data, nextCursor }) => (
          <>
            <Table
              caption={t('conversations.title')}
              columns={columns(!flow)}
              rows={data}
              rowKey={({ chatId }) => chatId}
            />
            <CursorPager cursor={cursor} next={nextCursor} />
          </>
        )}
      </FilteredList>
      {deleting && <DeleteConversations filter={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

const nothing = {
  data: { data: [], nextCursor: null, stoppedEarly: false },
  error: null,
  refetch: () => undefined,
};

/** Each names its flow where they are of several. */
const columns = (several: boolean): Column<FlowConversation>[] => [
  {
    id: 'question',
    header: t('conversations.question'),
    cell: ({ flowId, flowName, chatId, firstQuestion, leadName, leadEmail, failedRuns }) => {
      const name = leadName ?? leadEmail;
      return (
        <span className={css.name}>
          <Link href={`/conversations/${flowId}/${chatId}`} className={rowLink}>
            <span className={css.first}>{firstQuestion ?? t('conversations.nothingAsked')}</span>
          </Link>
          {several && <span className="note">{flowName}</span>}
          {name && <span className="note">{t('conversations.visitor', { name })}</span>}
          {failedRuns > 0 && (
            <Badge tone="danger" icon={CircleX}>
              {t('conversations.failedRuns', { count: failedRuns })}
            </Badge>
          )}
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
  numberColumn('messages', t('conversations.messages'), true),
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

function Summary({ flows, filter }: { flows: readonly string[]; filter: MessageFilter }): ReactNode {
  const counts = useCounts(flows, filter).data;
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

function Filters({ flow, flows }: Pick<ListProps, 'flow' | 'flows'>): ReactNode {
  const { read, put } = useAddress();
  const set = (name: string, value: string): void => put({ [name]: value, cursor: '' });
  return (
    <>
      <SearchField label={t('conversations.search')} value={read('q')} onChange={(q) => set('q', q)} />
      <FlowFilter
        label={t('conversations.flow')}
        any={t('conversations.anyFlow')}
        value={flow?.id ?? ''}
        flows={flows}
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
      <FilterSelect
        aria-label={t('conversations.outcome')}
        value={outcomeOf(read)}
        onChange={(next) => put({ failed: '', stopped: '', cursor: '', ...(next ? { [next]: 'true' } : {}) })}
        options={[
          { value: '', label: t('conversations.anyOutcome') },
          ...outcomes.map((value) => ({ value, label: t(`conversations.outcome.${value}`) })),
        ]}
      />
      {read('version') && (
        <FilterSelect
          aria-label={t('conversations.version')}
          value={read('version')}
          onChange={(next) => set('version', next)}
          options={[
            { value: '', label: t('conversations.anyVersion') },
            {
              value: read('version'),
              label: t('conversations.by', { version: read('version').slice(0, 7) }),
            },
          ]}
        />
      )}
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
