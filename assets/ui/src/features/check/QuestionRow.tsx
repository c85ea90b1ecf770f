import { Bookmark, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { relativeTime } from '../../core/format';
import { Badge, Checkbox, IconButton, TextArea } from '../../ui';
import css from './Check.module.css';
import type { PlannedQuestion } from './plan';
import { t } from './words';

export interface QuestionRowProps {
  number: number;
  question: PlannedQuestion;
  isKept: boolean;
  onPick: (picked: boolean) => void;
  onText: (text: string) => void;
  onKeep: () => void;
  onRemove: () => void;
}

/** A question that the next check may ask. */
export function QuestionRow(props: QuestionRowProps): ReactNode {
  const { number, question, isKept, onPick, onText, onKeep, onRemove } = props;
  const { text, picked, from, date } = question;
  return (
    <li className={css.question}>
      <Checkbox checked={picked} onChange={onPick} label={t('check.pick', { number })} hideLabel />
      <TextArea
        rows={1}
        className={css.grows}
        aria-label={t('check.question', { number })}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <div className={css.questionTools}>
        {isKept ? (
          <Badge icon={Bookmark} tone="accent">
            {t('check.isKept')}
          </Badge>
        ) : (
          <IconButton
            icon={Bookmark}
            size="compact"
            label={t('check.keepNumber', { number })}
            disabled={text.trim() === ''}
            onClick={onKeep}
          />
        )}
        <IconButton icon={X} size="compact" label={t('check.removeNumber', { number })} onClick={onRemove} />
      </div>
      <p className={css.origin}>
        {from === 'person' ? t('check.askedWhen', { time: relativeTime(date) }) : t(`check.from.${from}`)}
      </p>
    </li>
  );
}
