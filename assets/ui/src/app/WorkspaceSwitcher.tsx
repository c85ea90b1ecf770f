import { ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useMe, useSwitchWorkspace } from '../api/me';
import { t } from '../i18n';
import { Menu, toast } from '../ui';
import { giveUpEdits } from './LeaveGuard';
import css from './WorkspaceSwitcher.module.css';

export function WorkspaceSwitcher(): ReactNode {
  const me = useMe().data;
  const [, go] = useLocation();
  const switching = useSwitchWorkspace();
  if (!me) return null;
  const name = me.activeWorkspace ?? t('app.workspace');
  const to = (id: string): void => {
    if (id === me.activeWorkspaceId) return;
    // The switcher itself is drawn anew meanwhile; a promise outlives it.
    const change = (): void =>
      void switching.mutateAsync(id).then(
        () => go('/'),
        (error: Error) => toast({ text: error.message, tone: 'danger' }),
      );
    void giveUpEdits(change);
  };
  return (
    <Menu
      align="start"
      label={t('app.switchWorkspace')}
      items={[
        { heading: t('app.workspaces') },
        ...me.assignedWorkspaces.map((workspace) => ({
          label: workspace.name,
          checked: workspace.id === me.activeWorkspaceId,
          onSelect: () => to(workspace.id),
        })),
        me.isOrganizationAdmin && 'separator',
        me.isOrganizationAdmin && { label: t('app.manageWorkspaces'), onSelect: () => go('/workspaces') },
      ]}
    >
      <button type="button" className={css.opener} aria-label={t('app.workspaceNow', { name })}>
        <span className={css.name}>{name}</span>
        <ChevronsUpDown size={14} aria-hidden />
      </button>
    </Menu>
  );
}
