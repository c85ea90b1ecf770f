import {
  ArrowUpFromLine,
  CircleHelp,
  History,
  Rocket,
  Save,
  Sparkles,
  Trash2,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { VersionKind } from '../../api/versions';
import { t } from '../../i18n';
import { Badge, type BadgeProps } from '../../ui';

const looks: Record<VersionKind, { icon: LucideIcon; tone: BadgeProps['tone'] }> = {
  create: { icon: Sparkles, tone: 'neutral' },
  save: { icon: Save, tone: 'neutral' },
  restore: { icon: Undo2, tone: 'neutral' },
  publish: { icon: Rocket, tone: 'accent' },
  rollback: { icon: History, tone: 'warning' },
  promote: { icon: ArrowUpFromLine, tone: 'info' },
  delete: { icon: Trash2, tone: 'danger' },
  unknown: { icon: CircleHelp, tone: 'neutral' },
};

export function KindBadge({ kind }: { kind: VersionKind }): ReactNode {
  const { icon, tone } = looks[kind] ?? looks.unknown;
  return (
    <Badge icon={icon} tone={tone}>
      {t(`versions.kind.${kind}`)}
    </Badge>
  );
}
