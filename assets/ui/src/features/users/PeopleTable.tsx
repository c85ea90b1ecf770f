import {
  Ban,
  CircleCheck,
  Crown,
  KeyRound,
  Link2,
  MonitorSmartphone,
  ShieldCheck,
  UserCheck,
  UserMinus,
  UserX,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan, useMe } from '../../api/me';
import { useResetLink, useSetStatus, type Person } from '../../api/people';
import { t } from '../../i18n';
import { Badge, RelativeTime, rowLink, RowMenu, Table, toast, type Column } from '../../ui';
import type { OpenDialog } from './dialogs';
import css from './Users.module.css';

interface PeopleTableProps {
  rows: readonly Person[];
  onOpen: (open: OpenDialog) => void;
}

export function PeopleTable({ rows, onOpen }: PeopleTableProps): ReactNode {
  const owner = useMe().data?.isOrganizationAdmin ?? false;
  const columns: Column<Person>[] = [
    { id: 'name', header: t('users.person'), cell: (person) => <Name person={person} onOpen={onOpen} /> },
    { id: 'roles', header: t('users.roles'), wideOnly: true, cell: (person) => <Roles person={person} /> },
    { id: 'state', header: t('users.state'), width: '140px', cell: (person) => <State person={person} /> },
    {
      id: 'last',
      header: t('users.lastSignIn'),
      wideOnly: true,
      align: 'end',
      cell: (person) => (
        <span className="muted">
          {person.lastLogin ? <RelativeTime date={person.lastLogin} /> : t('users.never')}
        </span>
      ),
    },
    ...(owner
      ? [
          {
            id: 'sessions',
            header: t('users.sessions'),
            wideOnly: true,
            align: 'end' as const,
            cell: (person: Person) => person.sessions ?? 0,
          },
        ]
      : []),
    { id: 'menu', header: '', cell: (person) => <Actions person={person} onOpen={onOpen} /> },
  ];
  return <Table caption={t('users.title')} columns={columns} rows={rows} rowKey={(row) => row.userId} />;
}

interface OneProps {
  person: Person;
  onOpen: (open: OpenDialog) => void;
}

function Name({ person, onOpen }: OneProps): ReactNode {
  const me = useMe().data;
  const { user, isOwner, userId } = person;
  return (
    <span className={css.name}>
      <span className="inline">
        {isOwner ? (
          user.name
        ) : (
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'manage', person })}>
            {user.name}
          </button>
        )}
        {isOwner && (
          <Badge tone="accent" icon={Crown}>
            {t('users.owner')}
          </Badge>
        )}
        {me?.id === userId && <Badge>{t('users.you')}</Badge>}
      </span>
      <span className="note">{user.email}</span>
    </span>
  );
}

function Roles({ person }: { person: Person }): ReactNode {
  if (person.isOwner) return <span className="muted">{t('users.everything')}</span>;
  if (person.workspaces.length === 0) return <span className="muted">{t('users.noRole')}</span>;
  return (
    <ul className={css.roles}>
      {person.workspaces.map((one) => (
        <li key={one.id}>
          {one.role} <span className="muted">· {one.name}</span>
        </li>
      ))}
    </ul>
  );
}

function State({ person }: { person: Person }): ReactNode {
  return (
    <span className={css.states}>
      {person.status === 'active' ? (
        <Badge tone="success" icon={CircleCheck}>
          {t('users.active')}
        </Badge>
      ) : (
        <Badge tone="danger" icon={Ban}>
          {t('users.disabled')}
        </Badge>
      )}
      {person.resetRequestedDate && (
        <Badge tone="warning" icon={KeyRound} title={t('users.askedText')}>
          {t('users.asked')}
        </Badge>
      )}
    </span>
  );
}

function Actions({ person, onOpen }: OneProps): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const reset = useResetLink();
  const setStatus = useSetStatus();
  const { user, userId, isOwner, status } = person;
  const owner = me?.isOrganizationAdmin ?? false;
  const forOwner = owner ? {} : { disabled: true, hint: t('users.onlyOwner') };
  const mayManage = can('users:manage', 'workspace:add-user', 'workspace:unlink-user');
  const onError = (error: Error): void => toast(error.message);
  if (isOwner) {
    if (me?.id !== userId) return null;
    return (
      <RowMenu
        name={user.name}
        items={[
          {
            label: t('users.sessions'),
            icon: MonitorSmartphone,
            onSelect: () => onOpen({ dialog: 'sessions', person }),
          },
        ]}
      />
    );
  }
  const disabling = status === 'active';
  return (
    <RowMenu
      name={user.name}
      items={[
        {
          label: t('users.manage'),
          icon: ShieldCheck,
          ...(mayManage
            ? {}
            : { disabled: true, hint: t('kit.needs', { permission: 'workspace:add-user' }) }),
          onSelect: () => onOpen({ dialog: 'manage', person }),
        },
        {
          label: t('users.sessions'),
          icon: MonitorSmartphone,
          ...forOwner,
          onSelect: () => onOpen({ dialog: 'sessions', person }),
        },
        {
          label: t('users.reset'),
          icon: Link2,
          ...forOwner,
          onSelect: () =>
            reset.mutate(userId, {
              onError,
              onSuccess: ({ link }) =>
                onOpen({ dialog: 'link', link: { kind: 'reset', name: user.name, link } }),
            }),
        },
        'separator',
        {
          label: t(disabling ? 'users.disable' : 'users.enable'),
          icon: disabling ? UserX : UserCheck,
          ...(disabling ? { hint: t('users.disableHint') } : {}),
          ...forOwner,
          onSelect: () =>
            setStatus.mutate(
              { userId, status: disabling ? 'disabled' : 'active' },
              {
                onError,
                onSuccess: () =>
                  toast(t(disabling ? 'users.disabledNow' : 'users.enabledNow', { name: user.name })),
              },
            ),
        },
        {
          label: t('users.remove'),
          icon: UserMinus,
          danger: true,
          ...forOwner,
          onSelect: () => onOpen({ dialog: 'remove', person }),
        },
      ]}
    />
  );
}
