import { CircleAlert, CircleCheck, CirclePause, CircleStop, Clock, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type BadgeProps } from '../Badge';
import css from './RunSteps.module.css';
import { t } from './words';

export const runStates = ['INPROGRESS', 'STOPPED', 'FINISHED', 'ERROR', 'TIMEOUT', 'TERMINATED'] as const;

export type RunState = (typeof runStates)[number];

export const isRunState = (text: string): text is RunState => (runStates as readonly string[]).includes(text);

const looks: Record<RunState, Pick<BadgeProps, 'tone' | 'icon'>> = {
  INPROGRESS: { tone: 'accent', icon: LoaderCircle },
  STOPPED: { tone: 'warning', icon: CirclePause },
  FINISHED: { tone: 'success', icon: CircleCheck },
  ERROR: { tone: 'danger', icon: CircleAlert },
  TIMEOUT: { tone: 'danger', icon: Clock },
  TERMINATED: { tone: 'neutral', icon: CircleStop },
};

/** Where a run stands. A state that this version does not know keeps its own name. */
export function RunStateBadge({ state }: { state: string }): ReactNode {
  if (!isRunState(state)) return <Badge>{state}</Badge>;
  return (
    <Badge {...looks[state]} className={state === 'INPROGRESS' ? css.turning : undefined}>
      {t(`run.state.${state}`)}
    </Badge>
  );
}
