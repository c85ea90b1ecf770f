import { CirclePause, ListChecks, Users } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Message } from '../../api/conversations';
import { useExecution, useExecutions } from '../../api/executions';
import type { AskedAgain } from '../../core/askedAgain';
import { decisionOf } from '../../core/decision';
import { duration } from '../../core/format';
import { entriesOf, noRun, stepsOf, tookOf, withRunEvent, type RunEntry } from '../../core/run';
import { Badge, Banner, Button, Spinner } from '../../ui';
import { Fold } from '../../ui/run/Parts';
import { RunSteps } from '../../ui/run/RunSteps';
import css from './Conversations.module.css';
import { promptsOf } from './reading';
import { t } from './words';

export interface SeenProps {
  message: Message;
  /** The record of its run may be read. */
  mayRead: boolean;
}

/** What came before an answer: the turns of a team, the specialists that worked for it, the steps of its run. */
export function Before({ message, mayRead }: SeenProps): ReactNode {
  const { agentReasoning, executionId, team } = message;
  const told = useMemo(
    () => withRunEvent(noRun, { event: 'agentReasoning', data: agentReasoning ?? [] }).entries,
    [agentReasoning],
  );
  return (
    <>
      {told.length > 0 && (
        <Fold icon={ListChecks} label={t('run.steps', { count: told.length })}>
          <Steps entries={told} />
        </Fold>
      )}
      {executionId && mayRead && <Recorded id={executionId} />}
      {team && team.agents.length > 0 && (
        <Fold icon={Users} label={t('conversations.specialists', { count: team.agents.length })}>
          <ul className={css.team}>
            {team.agents.map(({ name, status, ms, task }, at) => (
              <li key={at}>
                <strong>{name}</strong>{' '}
                <Badge tone={status === 'completed' ? 'success' : 'danger'}>
                  {t(`conversations.specialist.${status}`)}
                </Badge>{' '}
                <span className="muted">{duration(ms)}</span>
                <p className={css.asked}>{task}</p>
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </>
  );
}

/** The most records that the service lists at once. */
const RUNS = 100;

/** How long the run of an answer took, where it is among the newest of its conversation: one list tells of all of them. */
export function Took({ message }: { message: Message }): ReactNode {
  const { chatflowid, executionId, sessionId, chatId } = message;
  // A session that nobody named has the name of its conversation.
  const query = { page: 1, limit: RUNS, agentflowId: chatflowid, sessionId: sessionId ?? chatId };
  const rows = useExecutions(query, true).data?.data;
  const row = rows?.find(({ id }) => id === executionId);
  const ms = row ? tookOf(row) : null;
  return ms !== null && <span>{duration(ms)}</span>;
}

/** The steps of an agentflow, read once somebody wants to see them: a record can be large. */
function Recorded({ id }: { id: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const record = useExecution(id, open);
  const entries = useMemo(() => entriesOf(record.data?.executionData), [record.data]);
  return (
    <div>
      <Button
        size="compact"
        variant="ghost"
        icon={ListChecks}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {t('conversations.steps')}
      </Button>
      {open &&
        (record.error ? (
          <Banner tone="danger">{record.error.message}</Banner>
        ) : !record.data ? (
          <Spinner />
        ) : entries.length === 0 ? (
          <p className="note">{t('conversations.noSteps')}</p>
        ) : (
          <Steps entries={entries} />
        ))}
    </div>
  );
}

function Steps({ entries }: { entries: readonly RunEntry[] }): ReactNode {
  const steps = useMemo(() => stepsOf({ ...noRun, entries }, true), [entries]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  return (
    <RunSteps
      steps={steps}
      opened={opened}
      onOpen={(key, on) =>
        setOpened((now) => new Set(on ? [...now, key] : [...now].filter((one) => one !== key)))
      }
      actions={noActions}
    />
  );
}

const noActions = {};

/** What came after an answer: what a person is asked to decide, and the questions that were offered. */
export function After({ message, mayAsk }: { message: Message; mayAsk: boolean }): ReactNode {
  const asked = decisionOf(message.action);
  const prompts = promptsOf(message.followUpPrompts);
  return (
    <>
      {asked && (
        <p className={css.decision}>
          <CirclePause size={16} aria-hidden />
          {asked.label ? t('run.asks', { name: asked.label }) : t('run.asksUnnamed')}
          {asked.choices.map(({ label }) => (
            <Badge key={label}>{label}</Badge>
          ))}
        </p>
      )}
      {prompts.length > 0 && (
        <ul className={css.prompts} aria-label={t('conversations.followUps')}>
          {prompts.map((prompt) => (
            <li key={prompt}>
              {mayAsk ? (
                <Link
                  href={`/flows/${message.chatflowid}`}
                  state={{ question: prompt } satisfies AskedAgain}
                  className={css.link}
                >
                  {prompt}
                </Link>
              ) : (
                prompt
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
