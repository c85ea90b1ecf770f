import { RotateCw, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { duration, exactTime, number } from '../../core/format';
import { isEmpty, shown, type RunStep, type Thoughts } from '../../core/run';
import type { Key } from '../../i18n';
import { Button } from '../Button';
import { Fold, LongText, Sources, Tools } from './Parts';
import css from './RunSteps.module.css';
import { t } from './words';

export interface StepActions {
  /** Shows the node of a step on the canvas. */
  toCanvas?: ((nodeId: string) => void) | undefined;
  /** Runs the flow again from a step; not offered without. */
  again?: ((step: RunStep) => void) | undefined;
  /** Something runs: nothing can be begun. */
  busy?: boolean | undefined;
}

/** What a step was given, did and brought. */
export function StepDetails({ step, actions }: { step: RunStep; actions: StepActions }): ReactNode {
  const { input, messages, tools, sources, text, output, thoughts, values } = step;
  const known =
    step.card !== '' || step.error !== null || !isEmpty(input) || text !== null || !isEmpty(output);
  const mayRunAgain = actions.again && step.card !== '' && step.state !== 'running';
  return (
    <div className={css.details}>
      {step.error && (
        <p className={css.bad} role="note">
          {step.error}
        </p>
      )}
      {!known && <p className="note">{t('run.nothing')}</p>}
      {messages.length > 0 && (
        <Fold label={t('run.messages')} open>
          {messages.map((message, at) => (
            <LongText key={at} label={roleName(message.role)} text={message.content} />
          ))}
        </Fold>
      )}
      {!isEmpty(input) && (
        <Fold label={t(messages.length > 0 ? 'run.moreInput' : 'run.input')} open={messages.length === 0}>
          <LongText label={t('run.input')} text={shown(input)} bare />
        </Fold>
      )}
      {tools.length > 0 && <Tools tools={tools} />}
      {thoughts && (
        <Fold label={thoughtsName(thoughts)}>
          <LongText label={t('run.thoughts')} text={thoughts.text} bare />
        </Fold>
      )}
      {text && (
        <Fold label={t('run.output')} open>
          <LongText label={t('run.output')} text={text} bare />
        </Fold>
      )}
      {!isEmpty(output) && (
        <Fold label={t(text ? 'run.moreOutput' : 'run.output')} open={!text}>
          <LongText label={t('run.output')} text={shown(output)} bare />
        </Fold>
      )}
      {sources.length > 0 && <Sources sources={sources} />}
      {!isEmpty(values) && (
        <Fold label={t('run.values')}>
          <LongText label={t('run.values')} text={shown(values)} bare />
        </Fold>
      )}
      {step.cut && <p className="note">{t('run.cut')}</p>}
      <Facts step={step} />
      {(actions.toCanvas || mayRunAgain) && (
        <div className={css.tools}>
          {actions.toCanvas && (
            <Button size="compact" icon={Workflow} onClick={() => actions.toCanvas?.(step.nodeId)}>
              {t('run.toCanvas')}
            </Button>
          )}
          {mayRunAgain && (
            <Button
              size="compact"
              icon={RotateCw}
              title={t('run.againText')}
              disabled={actions.busy}
              onClick={() => actions.again?.(step)}
            >
              {t('run.again')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

const thoughtsName = ({ ms }: Thoughts): string =>
  ms === null ? t('run.thoughts') : t('run.thoughtsFor', { time: duration(ms) });

function Facts({ step: { tokens, attempts, start } }: { step: RunStep }): ReactNode {
  const facts = [
    start !== null && `${t('run.started')} ${exactTime(start)}`,
    tokens && t('run.tokensOf', { read: number(tokens.read), written: number(tokens.written) }),
    attempts !== null && attempts > 1 && t('run.attempts', { count: attempts }),
  ].filter(Boolean);
  return facts.length > 0 && <p className="note">{facts.join(' · ')}</p>;
}

const roles = new Set(['assistant', 'system', 'tool', 'user']);

const roleName = (role: string): string => (roles.has(role) ? t(`run.role.${role}` as Key) : role);
