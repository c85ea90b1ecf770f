import {
  CircleCheck,
  CircleX,
  FilePen,
  Hourglass,
  Library,
  OctagonX,
  RefreshCw,
  Server,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useExecutions } from '../../api/executions';
import { useCan, useMe } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import { useServer } from '../../api/service';
import { isBehind, useStores, type Store } from '../../api/stores';
import type { BudgetUse } from '../../api/usage';
import { briefTime } from '../../core/format';
import { beginOfUtc, utcDay } from '../../core/paging';
import { Section } from '../../ui';
import css from './Home.module.css';
import { inState } from './overview';
import { t } from './words';

interface Matter {
  id: string;
  icon: LucideIcon;
  text: string;
  to: string;
  bad?: boolean;
}

interface AttentionProps {
  flows: readonly FlowSummary[];
  budgets: readonly BudgetUse[];
}

/** What waits for somebody. */
export function Attention({ flows, budgets }: AttentionProps): ReactNode {
  const matters = useMatters(flows, budgets);
  return (
    <Section title={t('home.attention')}>
      {matters.length === 0 ? (
        <p className={css.matter}>
          <CircleCheck size={16} aria-hidden className={css.good} /> {t('home.nothing')}
        </p>
      ) : (
        <ul className={css.matters}>
          {matters.map(({ id, icon: Icon, text, to, bad }) => (
            <li key={id}>
              <Link href={to} className={css.matter}>
                <Icon size={16} aria-hidden className={bad ? css.bad : css.waits} /> {text}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function useMatters(flows: readonly FlowSummary[], budgets: readonly BudgetUse[]): Matter[] {
  const can = useCan();
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const maySeeRuns = can('executions:view');
  const since = beginOfUtc(utcDay(1));
  const waiting = useExecutions({ page: 1, limit: 1, state: 'STOPPED' }, maySeeRuns).data?.total ?? 0;
  const failed =
    useExecutions({ page: 1, limit: 1, state: 'ERROR', startDate: since }, maySeeRuns).data?.total ?? 0;
  const stores = useStores(can('documentStores:view')).data ?? [];
  const behind = stores.filter((store) => store.status === 'STALE' || isBehind(store));
  const problems = useServer(isOwner).data?.problems ?? [];
  const [stale, changes, never] = [
    inState(flows, 'stale'),
    inState(flows, 'changes'),
    inState(flows, 'never'),
  ];
  const all: (Matter | false)[] = [
    ...problems.map((text) => ({ id: text, icon: Server, text, to: '/server', bad: true })),
    ...budgets.map(
      ({ kind, id, name, opensAgainAt }) =>
        opensAgainAt !== null && {
          id: `budget ${kind} ${id}`,
          icon: OctagonX,
          text: t('home.refusing', { name, time: briefTime(opensAgainAt) }),
          to: '/usage',
          bad: true,
        },
    ),
    failed > 0 && {
      id: 'failed',
      icon: CircleX,
      text: t('home.failed', { count: failed }),
      to: `/executions?state=ERROR&since=${since}`,
      bad: true,
    },
    waiting > 0 && {
      id: 'waiting',
      icon: Hourglass,
      text: t('home.waiting', { count: waiting }),
      to: '/executions?state=STOPPED',
    },
    stale > 0 && {
      id: 'stale',
      icon: RefreshCw,
      text: t('home.stale', { count: stale }),
      to: '/?state=stale',
    },
    changes > 0 && {
      id: 'changes',
      icon: FilePen,
      text: t('home.changes', { count: changes }),
      to: '/?state=changes',
    },
    never > 0 && { id: 'never', icon: FilePen, text: t('home.never', { count: never }), to: '/?state=never' },
    ...behind.map((store) => ({
      id: store.id,
      icon: Library,
      text: t(isUnfilled(store) ? 'home.unfilled' : 'home.behind', { name: store.name }),
      to: `/knowledge/${store.id}`,
    })),
  ];
  return all.filter((one) => one !== false);
}

/** What a document has yet to bring comes first. */
const isUnfilled = ({ status, filledDate }: Store): boolean => status !== 'STALE' && filledDate === null;
