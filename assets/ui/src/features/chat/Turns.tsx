import { ArrowDown } from 'lucide-react';
import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { noRun } from '../../core/run';
import { Button } from '../../ui';
import { ToldSteps } from '../../ui/run/ToldSteps';
import { Answer, type AnswerActions } from './Answer';
import css from './Chat.module.css';
import { FileMark } from './Composer';
import { isDecided, type Turn } from './conversation';
import { t } from './words';

export interface TurnsProps {
  turns: readonly Turn[];
  busy: boolean;
  /** Says at each answer whether the draft or Live gave it. */
  showSource: boolean;
  /** There is a canvas on which steps are cards. */
  drawn: boolean;
  /** The keys of the steps that are open, of each turn. */
  opened: ReadonlyMap<number, ReadonlySet<string>>;
  onOpen: (turn: number, key: string, open: boolean) => void;
  actions: AnswerActions;
}

/** Closer to the end than this counts as being there. */
const NEAR = 40;

/** The conversation. It follows the answer while the end is in view. */
export function Turns({ turns, busy, showSource, drawn, opened, onOpen, actions }: TurnsProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);
  // Who opens a step reads it, and is not taken away from it; a new question is always brought into view.
  const asked = turns.length;
  useLayoutEffect(() => {
    follows.current = false;
  }, [opened]);
  useLayoutEffect(() => {
    follows.current = true;
  }, [asked]);
  // Steps, and what a person is asked, are drawn later than the answer they belong to. An observer goes with what it watches.
  const grows = useCallback((list: HTMLElement | null) => {
    if (list) new ResizeObserver(() => follows.current && toEnd(box.current)).observe(list);
  }, []);
  const last = turns.at(-1);
  return (
    <div className={css.scrollFrame}>
      <div
        ref={box}
        className={css.scroll}
        role="group"
        aria-label={t('chat.conversation')}
        // A region that scrolls must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onScroll={({ currentTarget: at }) => {
          const near = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR;
          follows.current = near;
          setAway(!near);
        }}
      >
        <ol ref={grows} className={css.turns}>
          {turns.map((turn) => (
            <li key={turn.id} className={css.turn} data-turn={turn.id}>
              <div className={css.question}>
                <span className="sr-only">{t('chat.question')}: </span>
                {turn.files.map((file, at) => (
                  <FileMark key={at} file={file} />
                ))}
                {turn.question && <p className={css.asked}>{turn.question}</p>}
              </div>
              <Answer
                turn={turn}
                newest={turn === last}
                decided={isDecided(turn, turns)}
                busy={busy}
                showSource={showSource}
                drawn={drawn}
                opened={opened.get(turn.id) ?? noneOpen}
                onOpen={onOpen}
                actions={actions}
              />
            </li>
          ))}
        </ol>
      </div>
      {away && (
        <Button size="compact" icon={ArrowDown} className={css.jump} onClick={() => toEnd(box.current)}>
          {t('chat.jump')}
        </Button>
      )}
      <p className="sr-only" role="status">
        {announced(last)}
      </p>
      <ToldSteps run={busy && last ? last.run : noRun} />
    </div>
  );
}

const toEnd = (box: HTMLElement | null): void => box?.scrollTo({ top: box.scrollHeight });

const noneOpen: ReadonlySet<string> = new Set();

/** Spoken once, when an answer is complete; failures are alerts of their own. */
function announced(turn: Turn | undefined): string {
  if (turn?.state === 'done' && turn.asked) return t('chat.waits', { name: turn.asked.label });
  if (turn?.state === 'done') return t('chat.answered', { text: turn.answer.slice(0, 2000) });
  return turn?.state === 'stopped' ? t('chat.stopped') : '';
}
