import { RotateCw } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { duration, number } from '../../core/format';
import { t, type Key } from '../../i18n';
import { markdown } from '../../ui/markdown';
import prose from '../../ui/Prose.module.css';
import { Badge, Banner, Button, CopyButton, Spinner, useCountdown } from '../../ui';
import css from './Chat.module.css';
import type { Failure, Turn } from './conversation';
import { Fold, Sources, Steps, Tools } from './Details';
import { Prompts } from './Prompts';

export interface AnswerProps {
  turn: Turn;
  newest: boolean;
  showSource: boolean;
  onRetry: () => void;
  onPick: (prompt: string) => void;
  goToNode: (id: string) => void;
}

/** An answer as it comes, with what it leans on. */
export function Answer({ turn, newest, showSource, onRetry, onPick, goToNode }: AnswerProps): ReactNode {
  const { state, answer, thinking, steps, tools, sources, failure } = turn;
  const going = state === 'waiting' || state === 'streaming';
  return (
    <div className={css.answer} aria-busy={going}>
      <span className="sr-only">{t('chat.answer')}: </span>
      {steps.length > 0 && <Steps steps={steps} goToNode={goToNode} />}
      {thinking && (
        <Fold label={t('chat.thoughts')}>
          <p className={css.plain}>{thinking}</p>
        </Fold>
      )}
      {answer ? (
        <Markdown text={answer} />
      ) : (
        going && (
          <p className={css.waiting}>
            <Spinner /> {t('chat.thinking')}
          </p>
        )
      )}
      {tools.length > 0 && <Tools tools={tools} />}
      {sources.length > 0 && <Sources sources={sources} />}
      {failure && <FailureNotice failure={failure} onRetry={newest && !going ? onRetry : undefined} />}
      {!going && (
        <div className={css.foot}>
          {state === 'stopped' && <Badge icon={undefined}>{t('chat.stopped')}</Badge>}
          {showSource && <Badge>{t(`chat.${turn.source}`)}</Badge>}
          <Facts turn={turn} />
          <span className={css.space} />
          {answer && <CopyButton text={answer} label={t('chat.copyAnswer')} />}
        </div>
      )}
      {newest && state === 'done' && (
        <Prompts label={t('chat.followUps')} prompts={turn.followUps} onPick={onPick} />
      )}
    </div>
  );
}

function Facts({ turn: { ms, tokens } }: { turn: Turn }): ReactNode {
  const facts: { text: string; more?: string }[] = [];
  if (ms !== null) facts.push({ text: duration(ms) });
  if (tokens) {
    facts.push({
      text: t('chat.tokens', { count: tokens.read + tokens.written }),
      more: t('chat.tokensOf', { read: number(tokens.read), written: number(tokens.written) }),
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

/** Text of a model: nodes that were made safe, never markup of its own. */
function Markdown({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.replaceChildren(markdown(text));
  }, [text]);
  return <div ref={box} className={prose.prose} />;
}
