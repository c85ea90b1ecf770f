import { Check, CirclePause, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { decisionFor, type Decision, type DecisionAsked } from '../../core/decision';
import { Button } from '../Button';
import { Field, TextArea } from '../Field';
import css from './RunSteps.module.css';
import { t } from './words';

export interface AskPersonProps {
  asked: DecisionAsked;
  busy: boolean;
  /** What is written beside the decision. */
  feedback: string;
  onFeedback: (text: string) => void;
  onDecide: (decision: Decision, label: string) => void;
  /** A choice that is no decision: its words are sent. */
  onSay?: ((text: string) => void) | undefined;
}

/** What a run asks of a person, answered in its place. */
export function AskPerson(props: AskPersonProps): ReactNode {
  const { asked, busy, feedback, onFeedback, onDecide, onSay } = props;
  const choices = asked.choices.filter(({ does }) => does !== 'say' || onSay);
  return (
    <section className={css.ask} aria-label={t('run.answerLabel')}>
      <p className={css.askTitle}>
        <CirclePause size={16} aria-hidden />
        {asked.label ? t('run.asks', { name: asked.label }) : t('run.asksUnnamed')}
      </p>
      {asked.takesFeedback && (
        <Field label={t('run.feedback')} optional>
          <TextArea
            rows={2}
            value={feedback}
            disabled={busy}
            onChange={(event) => onFeedback(event.target.value)}
          />
        </Field>
      )}
      <div className={css.tools}>
        {choices.map(({ does, label }) => (
          <Button
            key={`${does} ${label}`}
            size="compact"
            variant={does === 'proceed' ? 'primary' : 'default'}
            {...(does === 'say' ? {} : { icon: does === 'proceed' ? Check : X })}
            busy={busy}
            onClick={() =>
              does === 'say' ? onSay?.(label) : onDecide(decisionFor(asked, does, feedback), label)
            }
          >
            {label}
          </Button>
        ))}
      </div>
    </section>
  );
}
