import { CircleAlert, MessagesSquare, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useVersionAnswers, type VersionAnswer, type VersionAnswers } from '../../api/answers';
import { duration, number } from '../../core/format';
import { t } from '../../i18n';
import { Button, Drawer, Loaded, Pager, RelativeTime } from '../../ui';
import css from './Versions.module.css';

/** As many answers stand on a page. */
const PAGE = 20;

export interface VersionAnswersProps {
  flow: string;
  sha: string;
}

/** How often a version was asked and how that went, in one line, and the way to its answers. */
export function VersionAnswersLine({ flow, sha }: VersionAnswersProps): ReactNode {
  const { data } = useVersionAnswers(flow, sha, 1);
  const [open, setOpen] = useState(false);
  if (!data || data.answers + data.errors === 0) return null;
  return (
    <div className={css.answers} role="group" aria-label={t('versions.answers')}>
      <Sums answers={data} />
      <Button size="compact" variant="ghost" icon={MessagesSquare} onClick={() => setOpen(true)}>
        {t('versions.answersSee')}
      </Button>
      {open && <Answers flow={flow} sha={sha} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Sums({ answers }: { answers: VersionAnswers }): ReactNode {
  const { answers: count, errors, medianMs, ratings } = answers;
  return (
    <ul className={css.sums}>
      <li>{t('versions.answersCount', { count })}</li>
      {errors > 0 && (
        <li className={css.failed}>
          <CircleAlert size={13} aria-hidden /> {t('versions.answersFailed', { count: errors })}
        </li>
      )}
      {medianMs !== null && <li>{t('versions.answersMedian', { time: duration(medianMs) })}</li>}
      {ratings.up + ratings.down > 0 && (
        <li className={css.ratings}>
          <Rating rating="up" count={ratings.up} />
          <Rating rating="down" count={ratings.down} />
        </li>
      )}
    </ul>
  );
}

type Thumb = keyof VersionAnswers['ratings'];

const thumbs: Record<NonNullable<VersionAnswer['rating']>, Thumb> = {
  THUMBS_UP: 'up',
  THUMBS_DOWN: 'down',
};

function Rating({ rating, count }: { rating: Thumb; count?: number }): ReactNode {
  const Icon = rating === 'up' ? ThumbsUp : ThumbsDown;
  return (
    <span className={css.rating}>
      <Icon size={13} aria-hidden />
      <span className="sr-only">{t(`versions.rated.${rating}`)}</span>
      {count !== undefined && number(count)}
    </span>
  );
}

function Answers({ flow, sha, onClose }: VersionAnswersProps & { onClose: () => void }): ReactNode {
  const [page, turn] = useState(1);
  const answers = useVersionAnswers(flow, sha, page);
  return (
    <Drawer
      open
      onClose={onClose}
      title={t('versions.answers')}
      description={t('versions.answersText', { id: sha.slice(0, 7) })}
      width={560}
    >
      <Loaded query={answers}>
        {(data) => (
          <>
            <Sums answers={data} />
            {data.messages.length === 0 ? (
              <p className="nothing">{t('versions.answersNone')}</p>
            ) : (
              <ul className="lines" aria-label={t('versions.answers')}>
                {data.messages.map((message) => (
                  <li key={message.id} className={css.answer}>
                    <Answer answer={message} />
                  </li>
                ))}
              </ul>
            )}
            {data.pages > 1 && <Pager page={page} limit={PAGE} total={data.answers} onPage={turn} />}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function Answer({ answer }: { answer: VersionAnswer }): ReactNode {
  const { question, text, date, ms, rating } = answer;
  return (
    <>
      <p className={css.asked}>{question}</p>
      <p className={css.said}>{text}</p>
      <p className={css.sums}>
        <RelativeTime date={date} />
        <span>{duration(ms)}</span>
        {rating && <Rating rating={thumbs[rating]} />}
      </p>
    </>
  );
}
