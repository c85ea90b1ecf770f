import { CircleCheck, Library, LoaderCircle, RefreshCw, Search, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Store } from '../../api/stores';
import { briefTime } from '../../core/format';
import { Badge, type BadgeProps } from '../../ui';
import { t } from './words';
import type { Key } from '../../i18n';

const looks: Record<string, { tone: BadgeProps['tone']; icon: LucideIcon }> = {
  EMPTY: { tone: 'neutral', icon: Library },
  STALE: { tone: 'warning', icon: RefreshCw },
  SYNC: { tone: 'info', icon: CircleCheck },
  SYNCING: { tone: 'accent', icon: LoaderCircle },
  UPSERTED: { tone: 'success', icon: Search },
  UPSERTING: { tone: 'accent', icon: LoaderCircle },
};

/** How a store or one of its documents stands. */
export function StateBadge({ state }: { state: string }): ReactNode {
  const { tone, icon } = looks[state] ?? { tone: 'neutral', icon: Library };
  return (
    <Badge tone={tone} icon={icon}>
      {t(`knowledge.state.${state}` as Key)}
    </Badge>
  );
}

/** Why a store that is behind has to be filled again. */
export const behindWords = ({ filledDate }: Pick<Store, 'filledDate'>): string =>
  filledDate === null
    ? t('knowledge.behindSettings')
    : t('knowledge.behindPassages', { time: briefTime(filledDate) });
