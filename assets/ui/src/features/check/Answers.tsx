import { CircleAlert } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { CheckAnswer, CheckCase } from '../../api/checks';
import { diffSides, type DiffPart } from '../../core/diff';
import { duration, number } from '../../core/format';
import { Badge, Marked, scrollRegion } from '../../ui';
import { LongText } from '../../ui/run/Parts';
import css from './Check.module.css';
import { t, useWords } from './words';

export interface AnswersProps {
  live: CheckAnswer | null;
  draft: CheckAnswer | null;
  liveEmpty: boolean;
}

type Side = 'live' | 'draft';

/** The first answer of each side beside the other, with the words marked that one of them alone has. */
export function Answers({ live, draft, liveEmpty }: AnswersProps): ReactNode {
  const texts = [live?.text ?? null, draft?.text ?? null] as const;
  const [before, after] = texts;
  const parts = useMemo(
    () =>
      before === null || after === null
        ? { before: whole(before), after: whole(after) }
        : diffSides(before, after),
    [before, after],
  );
  return (
    <div className={css.sides}>
      {!liveEmpty && <AnswerOf side="live" answer={live} parts={parts.before} />}
      <AnswerOf side="draft" answer={draft} parts={parts.after} />
    </div>
  );
}

const whole = (text: string | null): DiffPart[] => [{ text: text ?? '', marked: false }];

function AnswerOf(props: { side: Side; answer: CheckAnswer | null; parts: readonly DiffPart[] }): ReactNode {
  const { side, answer, parts } = props;
  const t = useWords();
  return (
    <figure className={css.side}>
      <figcaption className={css.caption}>
        <span className={css.strong}>{t(`check.answerOf.${side}`)}</span>
        {answer && <span>{factsOf(answer)}</span>}
      </figcaption>
      {!answer && <p className={css.empty}>{t('check.noAnswer')}</p>}
      {answer?.error && (
        <p className={css.fault}>
          <CircleAlert size={15} aria-hidden />
          <span>{answer.error}</span>
        </p>
      )}
      {answer && !answer.error && (
        <p ref={scrollRegion} className={css[side]}>
          {answer.text ? (
            <Marked parts={parts} begin={t(`check.onlyIn.${side}`)} end={t('check.onlyEnd')} />
          ) : (
            <span className={css.muted}>{t('check.emptyAnswer')}</span>
          )}
        </p>
      )}
    </figure>
  );
}

function factsOf({ tokens, ms }: CheckAnswer): string {
  const time = duration(ms);
  return tokens === null ? time : t('check.answerFacts', { time, tokens: number(tokens) });
}

/** Every answer that a question got, second asks too. */
export function AllAnswers({ runs }: { runs: CheckCase['runs'] }): ReactNode {
  const t = useWords();
  return (['live', 'draft'] as const).map((side) => (
    <ul key={side} className={css.all} aria-label={t(`check.answersOf.${side}`)}>
      {runs[side].map((answer, at) => {
        const name = t(`check.answerNumber.${side}`, { number: at + 1 });
        return (
          <li key={at}>
            <p className={css.caption}>
              <span className={css.strong}>{name}</span>
              {answer.again && <Badge>{t('check.askedAgain')}</Badge>}
              <span>{factsOf(answer)}</span>
            </p>
            {answer.error ? (
              <p className={css.fault}>
                <CircleAlert size={15} aria-hidden />
                <span>{answer.error}</span>
              </p>
            ) : (
              <LongText bare label={name} text={answer.text ?? ''} />
            )}
          </li>
        );
      })}
    </ul>
  ));
}
