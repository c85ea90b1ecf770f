import { ListChecks, RotateCw } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { basePath } from '../../core/base';
import type { Decision } from '../../core/decision';
import { duration, number } from '../../core/format';
import type { RunStep } from '../../core/run';
import type { Key } from '../../i18n';
import { Badge, Banner, Button, CopyButton, later, Spinner, useCountdown } from '../../ui';
import { Fold, Sources, Tools } from '../../ui/run/Parts';
import css from './Chat.module.css';
import { isOver, stepsOfTurn, type Failure, type Turn } from './conversation';
import { Prompts } from './Prompts';
import { t } from './words';

// Only what runs step by step has them, and waits for people.
const RunSteps = later(async () => ({ default: (await import('../../ui/run/RunSteps')).RunSteps }), null);
const AskPerson = later(async () => ({ default: (await import('../../ui/run/AskPerson')).AskPerson }), null);

// What makes markup safe is larger than the chat: it comes while the first answer is thought about.
const loadMarkdown = async () => ({ default: (await import('../../ui/MarkdownText')).MarkdownText });
const MarkdownText = later(loadMarkdown, null);

/** What can be done with answers. */
export interface AnswerActions {
  onRetry: () => void;
  onPick: (prompt: string) => void;
  onDecide: (turn: Turn, decision: Decision, label: string) => void;
  /** Runs the flow again from a step. */
  onAgain: (executionId: string, step: RunStep) => void;
  goToNode: (id: string) => void;
}

export interface AnswerProps {
  turn: Turn;
  newest: boolean;
  /** What it asked was answered. */
  decided: boolean;
  /** A question is under way. */
  busy: boolean;
  showSource: boolean;
  /** There is a canvas on which its steps are cards. */
  drawn: boolean;
  opened: ReadonlySet<string>;
  onOpen: (turn: number, key: string, open: boolean) => void;
  actions: AnswerActions;
}

/** An answer as it comes, with what it leans on. Those before are not drawn with each of its tokens. */
export const Answer = memo(function Answer(props: AnswerProps): ReactNode {
  const { turn, newest, decided, busy, showSource, drawn, opened, onOpen, actions } = props;
  const { id, run, state, answer, thinking, tools, sources, failure, asked, executionId } = turn;
  const { onRetry, onPick, onDecide, onAgain, goToNode } = actions;
  const going = !isOver(turn);
  useEffect(() => {
    // Without a connection it is asked for again when the text is there.
    loadMarkdown().catch(() => undefined);
  }, []);
  // It is asked again when the decision failed, and nobody writes the same remark twice.
  const [feedback, setFeedback] = useState('');
  const steps = useMemo(() => stepsOfTurn({ run, state, asked }, decided), [run, state, asked, decided]);
  const openStep = useCallback((key: string, open: boolean) => onOpen(id, key, open), [onOpen, id]);
  const stepActions = useMemo(
    () => ({
      toCanvas: drawn ? goToNode : undefined,
      again: executionId ? (step: RunStep) => onAgain(executionId, step) : undefined,
      busy,
    }),
    [drawn, goToNode, executionId, onAgain, busy],
  );
  return (
    <div className={css.answer} aria-busy={going}>
      <span className="sr-only">{t('chat.answer')}: </span>
      {steps.length > 0 && <RunSteps steps={steps} opened={opened} onOpen={openStep} actions={stepActions} />}
      {thinking && (
        <Fold label={t('run.thoughts')}>
          <p className={css.plain}>{thinking}</p>
        </Fold>
      )}
      {answer ? (
        <MarkdownText text={answer} />
      ) : (
        going && (
          <p className={css.waiting}>
            <Spinner /> {t('chat.thinking')}
          </p>
        )
      )}
      {tools.length > 0 && <Tools tools={tools} />}
      {sources.length > 0 && <Sources sources={sources} />}
      {asked && !decided && !going && (
        <AskPerson
          asked={asked}
          busy={busy}
          feedback={feedback}
          onFeedback={setFeedback}
          onDecide={(decision, label) => onDecide(turn, decision, label)}
          onSay={onPick}
        />
      )}
      {failure && (
        <FailureNotice
          failure={failure}
          // An answer to a pause that somebody gave already is no use twice.
          onRetry={newest && !going && !turn.decision ? onRetry : undefined}
        />
      )}
      {!going && (
        <div className={css.foot}>
          {state === 'stopped' && <Badge icon={undefined}>{t('chat.stopped')}</Badge>}
          {showSource && <Badge>{t(`chat.${turn.source}`)}</Badge>}
          <Facts turn={turn} />
          <span className={css.space} />
          {executionId && (
            <Button asChild size="compact" variant="ghost">
              {/* Beside the page: this conversation stays. */}
              <a href={`${basePath}/executions/${executionId}`} target="_blank" rel="noopener">
                <ListChecks size={15} aria-hidden />
                {t('chat.record')}
              </a>
            </Button>
          )}
          {answer && <CopyButton text={answer} label={t('chat.copyAnswer')} />}
        </div>
      )}
      {newest && state === 'done' && (
        <Prompts label={t('chat.followUps')} prompts={turn.followUps} onPick={onPick} />
      )}
    </div>
  );
});

function Facts({ turn: { ms, tokens } }: { turn: Turn }): ReactNode {
  const facts: { text: string; more?: string }[] = [];
  if (ms !== null) facts.push({ text: duration(ms) });
  if (tokens) {
    facts.push({
      text: t('run.tokens', { count: tokens.read + tokens.written }),
      more: t('run.tokensOf', { read: number(tokens.read), written: number(tokens.written) }),
    });
  }
  return facts.map(({ text, more }) => (
    <span key={text} className={css.fact} title={more}>
      {text}
      {more && <span className="sr-only"> ({more})</span>}
    </span>
  ));
}

const statuses = new Set([0, 400, 403, 404, 409, 413, 429, 500, 503]);

/** What a status is called; unknown ones say their number only. */
function statusText(status: number | null): string {
  if (status === null) return t('chat.failed');
  const words = t(statuses.has(status) ? (`chat.status.${status}` as Key) : 'chat.failed');
  return status === 0 ? words : `${words} (${status})`;
}

function FailureNotice({
  failure,
  onRetry,
}: {
  failure: Failure;
  onRetry: (() => void) | undefined;
}): ReactNode {
  const left = useCountdown(failure.retryAfter ?? 0);
  return (
    <Banner
      tone="danger"
      title={statusText(failure.status)}
      actions={
        onRetry && (
          <Button size="compact" icon={RotateCw} onClick={onRetry} disabled={left > 0}>
            {left > 0 ? t('chat.retryIn', { seconds: left }) : t('chat.retry')}
          </Button>
        )
      }
    >
      {failure.message}
    </Banner>
  );
}
