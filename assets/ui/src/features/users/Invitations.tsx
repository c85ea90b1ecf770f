import { Link2, TimerOff, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRemoveInvitation, type Invitation } from '../../api/people';
import { t } from '../../i18n';
import { Badge, RelativeTime, RowMenu, Table, toast, type Column } from '../../ui';
import type { OpenDialog } from './dialogs';
import css from './Users.module.css';

interface InvitationsProps {
  rows: readonly Invitation[];
  onOpen: (open: OpenDialog) => void;
}

/** Invitations that nobody has accepted yet. */
export function Invitations({ rows, onOpen }: InvitationsProps): ReactNode {
  const remove = useRemoveInvitation();
  const columns: Column<Invitation>[] = [
    {
      id: 'email',
      header: t('users.email'),
      cell: (row) => (
        <span className={css.name}>
          {row.name ?? row.email}
          {row.name && <span className="note">{row.email}</span>}
        </span>
      ),
    },
    {
      id: 'role',
      header: t('users.role'),
      wideOnly: true,
      cell: (row) => (
        <>
          {row.role} <span className="muted">· {row.workspace}</span>
        </>
      ),
    },
    { id: 'by', header: t('users.invitedBy'), wideOnly: true, cell: (row) => row.invitedBy ?? '' },
    {
      id: 'expires',
      header: t('users.expires'),
      align: 'end',
      cell: (row) =>
        row.expired ? (
          <Badge tone="warning" icon={TimerOff}>
            {t('users.expired')}
          </Badge>
        ) : (
          <RelativeTime date={row.expires} className="muted" />
        ),
    },
    {
      id: 'menu',
      header: '',
      cell: (row) => (
        <RowMenu
          name={row.email}
          items={[
            {
              label: t('users.newLink'),
              icon: Link2,
              onSelect: () => {
                const { email, name, workspaceId, roleId } = row;
                onOpen({ dialog: 'invite', first: { email, name: name ?? '', workspaceId, roleId } });
              },
            },
            {
              label: t('users.removeInvite'),
              icon: Trash2,
              danger: true,
              onSelect: () =>
                remove.mutate(row.id, {
                  onSuccess: () => toast(t('users.inviteRemoved', { email: row.email })),
                  onError: (error) => toast(error.message),
                }),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <section className={css.invitations} aria-label={t('users.invitations')}>
      <div>
        <h2>{t('users.invitations')}</h2>
        <p className="muted">{t('users.invitationsText')}</p>
      </div>
      <Table caption={t('users.invitations')} columns={columns} rows={rows} rowKey={(row) => row.id} />
    </section>
  );
}
