import { CircleCheck, CircleDashed, CircleDot, History, Zap, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowState } from '../../api/models';
import { Badge, type BadgeProps } from '../../ui';
import { chipOf, type Chip } from './state';
import { t } from './words';

const looks: Record<Chip, { tone: BadgeProps['tone']; icon: LucideIcon }> = {
  never: { tone: 'neutral', icon: CircleDashed },
  live: { tone: 'success', icon: CircleCheck },
  changes: { tone: 'accent', icon: CircleDot },
  stale: { tone: 'warning', icon: History },
  straight: { tone: 'info', icon: Zap },
};

/** Whether a flow answers, and whether there are edits nobody sees yet. */
export function StateChip({ state }: { state: FlowState | undefined }): ReactNode {
  if (!state) return null;
  const chip = chipOf(state);
  const { tone, icon } = looks[chip];
  const why = state.reason && t(`flows.reason.${state.reason}`);
  return (
    <Badge tone={tone} icon={icon} title={why || undefined}>
      {t(`flows.state.${chip}`)}
      {why && <span className="sr-only">: {why}</span>}
    </Badge>
  );
}
