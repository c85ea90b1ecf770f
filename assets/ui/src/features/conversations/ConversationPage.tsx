import {
  ListChecks,
  MessagesSquare,
  Paperclip,
  Pin,
  RotateCcw,
  ThumbsDown,
  ThumbsUp,
  Trash2,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useChangeKept } from '../../api/checks';
import { fileAddress, useMessages, type Message } from '../../api/conversations';
import { useFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import type { AskedAgain } from '../../core/askedAgain';
import { exactTime, number } from '../../core/format';
import { SEES_FLOWS } from '../../core/permissions';
import { sourcesOf, tokensOf, toolsOf } from '../../core/run';
import {
  BackLink,
  Badge,
  Banner,
  Button,
  CopyButton,
  cx,
  EmptyState,
  later,
  Loaded,
  NoAccess,
  Page,
  PageHeader,
  RelativeTime,
  toast,
} from '../../ui';
import { MarkdownText } from '../../ui/MarkdownText';
import { Sources, Tools } from '../../ui/run/Parts';
import css from './Conversations.module.css';
import { EXPORT } from './list';
import { daysOf } from './reading';
import { t } from './words';

// What only some answers have, and files, come when they are wanted.
const DeleteConversations = later(
  async () => ({ default: (await import('./DeleteConversations')).DeleteConversations }),
  null,
);
const ExportMenu = later(async () => ({ default: (await import('./ExportMenu')).ExportMenu }), null);
const Before = later(async () => ({ default: (await import('./Seen')).Before }), null);
const Took = later(async () => ({ default: (await import('./Seen')).Took }), null);
const After = later(async () => ({ default: (await import('./Seen')).After }), null);

/** A conversation as it was seen, with what the answers lean on. */
export default function ConversationPage(props: { params: Record<string, string | undefined> }): ReactNode {
  const { flow = '', chat = '' } = props.params;
  if (useCan()(...SEES_FLOWS)) return <Conversation flow={flow} chat={chat} />;
  return (
    <Page narrow>
      <ToList flow={flow} />
      <PageHeader title={t('conversations.title')} />
      <NoAccess permission={SEES_FLOWS[0] ?? ''} />
    </Page>
  );
}

const listOf = (flow: string): string => `/conversations?flow=${flow}`;

const ToList = ({ flow }: { flow: string }): ReactNode => (
  <BackLink href={listOf(flow)}>{t('conversations.all')}</BackLink>
);

function Conversation({ flow, chat }: { flow: string; chat: string }): ReactNode {
  const messages = useMessages(flow, chat);
  const name = useFlow(flow).data?.name;
  const can = useCan();
  const [deleting, setDeleting] = useState(false);
  const [, go] = useLocation();
  const home = listOf(flow);
  const first = messages.data?.find(({ role }) => role === 'userMessage');
  return (
    <Page narrow>
      <ToList flow={flow} />
      <PageHeader
        title={first?.content.slice(0, 120) || t('conversations.title')}
        description={
          <>
            {name && (
              <Link href={`/flows/${flow}`} className={css.link}>
                {name}
              </Link>
            )}
            {messages.data?.[0] && (
              <>
                {' · '}
                {t(`conversations.source.${messages.data[0].chatType}`)}
                {' · '}
                <RelativeTime date={messages.data[0].createdDate} />
              </>
            )}
          </>
        }
        actions={
          <>
            {messages.data && messages.data.length > 0 && can(...EXPORT) && (
              <ExportMenu flows={[flow]} filter={daysOf(messages.data)} chat={chat} />
            )}
            {can('chatflows:delete', 'agentflows:delete', 'chatflows:update', 'agentflows:update') && (
              <Button icon={Trash2} onClick={() => setDeleting(true)}>
                {t('conversations.delete')}
              </Button>
            )}
          </>
        }
      />
      <Loaded query={messages}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={MessagesSquare}
              title={t('conversations.gone')}
              actions={
                <Button asChild>
                  <Link href={home}>{t('conversations.all')}</Link>
                </Button>
              }
            />
          ) : (
            <ol className={css.messages} aria-label={t('conversations.messages')}>
              {rows.map((message) => (
                <li key={message.id} className={message.role === 'userMessage' ? css.question : css.answer}>
                  {message.role === 'userMessage' ? (
                    <QuestionOf message={message} flow={flow} />
                  ) : (
                    <AnswerOf message={message} />
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {deleting && (
        <DeleteConversations
          filter={{ flowId: flow, chatId: chat }}
          onClose={() => setDeleting(false)}
          onDone={() => go(home)}
        />
      )}
    </Page>
  );
}

function QuestionOf({ message, flow }: { message: Message; flow: string }): ReactNode {
  const { chatId, content, createdDate, fileUploads } = message;
  const keep = useChangeKept(flow);
  const can = useCan();
  const mayKeep = can('chatflows:update', 'agentflows:update');
  const mayAsk = can(...SEES_FLOWS);
  const kept = (): void =>
    keep.mutate(
      (rows) =>
        rows.some(({ text }) => text === content) ? [...rows] : [...rows, { text: content, from: 'person' }],
      { onSuccess: () => toast(t('conversations.kept')) },
    );
  return (
    <>
      <span className="sr-only">{t('conversations.question')}: </span>
      {fileUploads?.map((file, at) => (
        <p key={at} className="inline">
          {!file.mime.startsWith('image/') && <Paperclip size={14} aria-hidden />}
          {file.fileName && file.mime.startsWith('image/') ? (
            <a href={fileAddress(flow, chatId, file.fileName)} download={file.name}>
              <img src={fileAddress(flow, chatId, file.fileName)} alt={file.name} className={css.picture} />
            </a>
          ) : file.fileName ? (
            <a href={fileAddress(flow, chatId, file.fileName)} download={file.name}>
              {file.name}
            </a>
          ) : (
            file.name
          )}
        </p>
      ))}
      <p className={css.asked}>{content}</p>
      {keep.error && <Banner tone="danger">{keep.error.message}</Banner>}
      <p className={css.foot}>
        <time dateTime={createdDate}>{exactTime(createdDate)}</time>
        {mayAsk && content && (
          <Button asChild size="compact" variant="ghost">
            <Link href={`/flows/${flow}`} state={{ question: content } satisfies AskedAgain}>
              <RotateCcw size={15} aria-hidden /> {t('conversations.again')}
            </Link>
          </Button>
        )}
        {mayKeep && content && (
          <Button size="compact" variant="ghost" icon={Pin} busy={keep.isPending} onClick={kept}>
            {t('conversations.keep')}
          </Button>
        )}
      </p>
    </>
  );
}

function AnswerOf({ message }: { message: Message }): ReactNode {
  const can = useCan();
  const mayAsk = can(...SEES_FLOWS);
  const mayRead = can('executions:view');
  const { agentReasoning, team, action, followUpPrompts } = message;
  const { content, createdDate, executionId, feedback, flowVersion, stopped } = message;
  const tools = toolsOf(message.usedTools);
  const sources = sourcesOf(message.sourceDocuments);
  const tokens = tokensOf(message.usageMetadata);
  return (
    <>
      <span className="sr-only">{t('conversations.answer')}: </span>
      {(executionId ?? team ?? agentReasoning) && <Before message={message} mayRead={mayRead} />}
      <MarkdownText text={content} />
      {tools.length > 0 && <Tools tools={tools} />}
      {sources.length > 0 && <Sources sources={sources} />}
      {(action ?? followUpPrompts) && <After message={message} mayAsk={mayAsk} />}
      {feedback && (
        <p className={css.rated}>
          <Badge
            tone={feedback.rating === 'THUMBS_UP' ? 'success' : 'danger'}
            icon={feedback.rating === 'THUMBS_UP' ? ThumbsUp : ThumbsDown}
          >
            {t(feedback.rating === 'THUMBS_UP' ? 'conversations.liked' : 'conversations.disliked')}
          </Badge>{' '}
          {feedback.content}
        </p>
      )}
      <p className={css.foot}>
        {stopped && <Badge tone="warning">{t('conversations.stopped')}</Badge>}
        <time dateTime={createdDate}>{exactTime(createdDate)}</time>
        {executionId && mayRead && <Took message={message} />}
        {tokens && (
          <span>
            {t('run.tokens', { count: tokens.read + tokens.written })}
            <span className="sr-only">
              {' '}
              ({t('run.tokensOf', { read: number(tokens.read), written: number(tokens.written) })})
            </span>
          </span>
        )}
        {flowVersion && (
          <Link href={`/flows/${message.chatflowid}/versions?v=${flowVersion}`} className={css.link}>
            {t('conversations.by', { version: flowVersion })}
          </Link>
        )}
        {flowVersion && (
          <Link
            href={`/conversations?flow=${message.chatflowid}&version=${flowVersion}`}
            className={css.link}
          >
            {t('conversations.ofVersion')}
          </Link>
        )}
        {executionId && (
          <Link href={`/executions/${executionId}`} className={cx('inline', css.link)}>
            <ListChecks size={14} aria-hidden /> {t('conversations.record')}
          </Link>
        )}
        {content && <CopyButton text={content} label={t('kit.copy')} />}
      </p>
    </>
  );
}
