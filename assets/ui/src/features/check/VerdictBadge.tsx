import {
  AudioWaveform,
  CircleAlert,
  CircleDashed,
  Equal,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { CheckCase } from '../../api/checks';
import { Badge, type BadgeProps } from '../../ui';
import { t } from './words';

export type Verdict = NonNullable<CheckCase['verdict']>;

export const verdicts: readonly Verdict[] = ['changed', 'error', 'noise', 'same'];

const looks: Record<Verdict, { icon: LucideIcon; tone: BadgeProps['tone'] }> = {
  same: { icon: Equal, tone: 'success' },
  noise: { icon: AudioWaveform, tone: 'neutral' },
  changed: { icon: TriangleAlert, tone: 'warning' },
  error: { icon: CircleAlert, tone: 'danger' },
};

export interface VerdictBadgeProps {
  verdict: Verdict | null;
  count?: number;
  className?: string;
}

/** The verdict of a question, or how many have it. */
export function VerdictBadge({ verdict, count, className }: VerdictBadgeProps): ReactNode {
  if (verdict === null) return <Badge icon={CircleDashed}>{t('check.verdict.open')}</Badge>;
  return (
    <Badge {...looks[verdict]} className={className}>
      {count !== undefined && `${count} `}
      {t(`check.verdict.${verdict}`)}
    </Badge>
  );
}
