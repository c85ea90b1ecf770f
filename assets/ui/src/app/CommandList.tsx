import { Keyboard, LogOut, Monitor, Moon, Sun, Workflow, Zap, CircleUserRound } from 'lucide-react';
import { useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useEnvironment } from '../api/environment';
import { useFlows } from '../api/flows';
import { useCan, useMe, useSignOut } from '../api/me';
import { actions } from '../core/actions';
import { chooseTheme } from '../core/prefs';
import { t } from '../i18n';
import { CommandMenu, type CommandItem } from '../ui';
import { giveUpEdits } from './LeaveGuard';
import { nav, sees } from './nav';
import { showShortcuts } from './Shortcuts';

/** The command menu with what can be done: on the screen that is open, and everywhere. */
export default function CommandList({ onClose }: { onClose: () => void }): ReactNode {
  const items = useItems();
  return (
    <CommandMenu
      open
      onClose={onClose}
      items={items}
      label={t('app.commands')}
      placeholder={t('app.commandsPlaceholder')}
    />
  );
}

function useItems(): CommandItem[] {
  const [, go] = useLocation();
  const can = useCan();
  const me = useMe().data;
  const flows = useFlows().data;
  const signOut = useSignOut();
  const here = useSyncExternalStore(actions.subscribe, actions.all);
  const permissions = me?.permissions;
  const isOwner = Boolean(me?.isOrganizationAdmin);
  const isProd = useEnvironment() === 'prod';
  return useMemo(() => {
    const screens = nav
      .flatMap((group) => group.items)
      .filter((item) => sees(item, { can, isOwner, isProd }));
    return [
      ...here.map((action) => ({ ...action, group: t('app.screenActions'), icon: Zap })),
      ...screens.map((item) => ({
        id: `go ${item.path}`,
        label: t(item.label),
        group: t('app.goTo'),
        icon: item.icon,
        run: () => go(item.path),
      })),
      {
        id: 'go /account',
        label: t('app.account'),
        group: t('app.goTo'),
        icon: CircleUserRound,
        run: () => go('/account'),
      },
      ...(flows ?? []).map((flow) => ({
        id: `flow ${flow.id}`,
        label: flow.name,
        group: t('app.flows'),
        icon: Workflow,
        run: () => go(`/flows/${flow.id}`),
      })),
      {
        id: 'theme system',
        label: t('app.themeOf', { name: t('app.system') }),
        group: t('app.theme'),
        icon: Monitor,
        run: () => chooseTheme('system'),
      },
      {
        id: 'theme light',
        label: t('app.themeOf', { name: t('app.light') }),
        group: t('app.theme'),
        icon: Sun,
        run: () => chooseTheme('light'),
      },
      {
        id: 'theme dark',
        label: t('app.themeOf', { name: t('app.dark') }),
        group: t('app.theme'),
        icon: Moon,
        run: () => chooseTheme('dark'),
      },
      {
        id: 'shortcuts',
        label: t('app.shortcuts'),
        group: t('app.account'),
        icon: Keyboard,
        shortcut: '?',
        run: showShortcuts,
      },
      {
        id: 'sign out',
        label: t('app.signOut'),
        group: t('app.account'),
        icon: LogOut,
        run: () => void giveUpEdits(signOut.mutate),
      },
    ];
    // `can` follows from the two below; the mutation keeps its identity where it matters.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [here, flows, permissions, isOwner, isProd, go]);
}
