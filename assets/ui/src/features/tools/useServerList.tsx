import { CircleAlert, CircleDashed, PlugZap, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useMissingPermissions } from '../../api/me';
import { useDeleteToolServer, useToolServers, type ToolServer } from '../../api/toolServers';
import { useUsedBy } from '../../api/usedBy';
import { t } from '../../i18n';
import { Badge, updatedColumn, usedByColumn, type ResourcePageProps } from '../../ui';
import { ServerForm } from './ServerForm';
import type { ServerToolsProps } from './ServerTools';
import css from './Tools.module.css';

export interface ServerList {
  list: ResourcePageProps<ToolServer>;
  /** The server whose tools are on screen. */
  shown: ServerToolsProps | null;
}

/** The servers of tools that the workspace keeps, as a list; `onScreen` while it is. */
export function useServerList(onScreen: boolean): ServerList {
  const missing = useMissingPermissions('tools');
  const query = useToolServers(onScreen && !missing.view);
  const usedBy = useUsedBy('toolServers', onScreen && !missing.view).data;
  const [open, setOpen] = useState<{ id: string; asks: boolean } | null>(null);
  const server = open && query.data?.find(({ id }) => id === open.id);
  return {
    list: {
      texts: 'toolServers',
      icon: PlugZap,
      query,
      missing,
      viewable: true,
      name: (row) => row.name,
      purpose: (row) => <span className={css.purpose}>{row.serverUrl}</span>,
      words: (row) => [row.name, row.serverUrl],
      columns: [
        { id: 'state', header: t('toolServers.state'), cell: (row) => <StateBadge server={row} /> },
        ...usedByColumn(usedBy, (row: ToolServer) => row.id),
        updatedColumn(),
      ],
      actions: (row) => [
        {
          label: t(row.status === 'AUTHORIZED' ? 'toolServers.showTools' : 'toolServers.connect'),
          icon: row.status === 'AUTHORIZED' ? Wrench : PlugZap,
          onSelect: () =>
            setOpen({ id: row.id, asks: row.status !== 'AUTHORIZED' && missing.update === null }),
        },
      ],
      remove: useDeleteToolServer(),
      affected: { text: t('toolServers.deleteUsed'), flows: (row) => usedBy?.[row.id] },
      form: (row, close) => (
        <ServerForm server={row} onClose={close} onReached={(id) => setOpen({ id, asks: true })} />
      ),
    },
    shown: server ? { server, asks: open.asks, lacking: missing.update, onClose: () => setOpen(null) } : null,
  };
}

function StateBadge({ server: { status, toolCount } }: { server: ToolServer }) {
  if (status === 'AUTHORIZED')
    return (
      <Badge tone="success" icon={Wrench}>
        {t('toolServers.toolCount', { count: toolCount })}
      </Badge>
    );
  return status === 'ERROR' ? (
    <Badge tone="danger" icon={CircleAlert}>
      {t('toolServers.failed')}
    </Badge>
  ) : (
    <Badge icon={CircleDashed}>{t('toolServers.pending')}</Badge>
  );
}
