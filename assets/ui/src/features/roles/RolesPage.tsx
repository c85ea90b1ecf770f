import { Copy, Eye, Lock, Pencil, ShieldCheck, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useRoles, type Role } from '../../api/roles';
import { t } from '../../i18n';
import {
  Badge,
  ListPage,
  PermissionList,
  RelativeTime,
  rowLink,
  RowMenu,
  Table,
  type Column,
} from '../../ui';
import { DeleteRole } from './DeleteRole';
import { RoleForm } from './RoleForm';
import css from './Roles.module.css';

type Open = { dialog: 'new' } | { dialog: 'copy' | 'edit' | 'delete'; role: Role };

/** The roles of the organization. */
export default function RolesPage(): ReactNode {
  const can = useCan();
  const manages = can('roles:manage');
  const roles = useRoles(manages);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <ListPage
        title={t('roles.title')}
        description={t('roles.description')}
        icon={ShieldCheck}
        query={roles}
        missing={!manages && 'roles:manage'}
        create={{ label: t('roles.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        empty={{ title: t('roles.empty'), text: t('roles.emptyText') }}
        search={{ label: t('roles.search'), words: (role) => [role.name, role.description] }}
        found={(count) => t('roles.found', { count })}
      >
        {(rows) => <RoleTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && <RoleForm onClose={close} />}
      {open?.dialog === 'copy' && <RoleForm key="copy" like={open.role} onClose={close} />}
      {open?.dialog === 'edit' && (
        <RoleForm
          key={open.role.id}
          role={open.role}
          onClose={close}
          onCopy={() => setOpen({ dialog: 'copy', role: open.role })}
        />
      )}
      {open?.dialog === 'delete' && <DeleteRole role={open.role} onClose={close} />}
    </>
  );
}

interface RoleTableProps {
  rows: readonly Role[];
  onOpen: (open: Open) => void;
}

function RoleTable({ rows, onOpen }: RoleTableProps): ReactNode {
  const columns: Column<Role>[] = [
    {
      id: 'name',
      header: t('roles.name'),
      cell: (role) => (
        <span className={css.name}>
          <button type="button" className={rowLink} onClick={() => onOpen({ dialog: 'edit', role })}>
            {role.name}
          </button>
          {role.description && <span className={css.purpose}>{role.description}</span>}
        </span>
      ),
    },
    {
      id: 'type',
      header: t('roles.type'),
      width: '110px',
      wideOnly: true,
      cell: (role) =>
        role.builtIn ? (
          <Badge icon={Lock}>{t('roles.builtIn')}</Badge>
        ) : (
          <Badge tone="accent">{t('roles.own')}</Badge>
        ),
    },
    {
      id: 'permissions',
      header: t('roles.permissions'),
      cell: (role) => <PermissionList permissions={role.permissions} name={role.name} />,
    },
    { id: 'people', header: t('roles.people'), align: 'end', wideOnly: true, cell: (role) => role.userCount },
    {
      id: 'updated',
      header: t('roles.updated'),
      align: 'end',
      wideOnly: true,
      cell: (role) => role.updatedDate && <RelativeTime date={role.updatedDate} className={css.muted} />,
    },
    { id: 'menu', header: '', cell: (role) => <Actions role={role} onOpen={onOpen} /> },
  ];
  return <Table caption={t('roles.title')} columns={columns} rows={rows} rowKey={(role) => role.id} />;
}

function Actions({ role, onOpen }: { role: Role; onOpen: (open: Open) => void }): ReactNode {
  const refusal = !role.editable
    ? t(role.builtIn ? 'roles.builtIn' : 'roles.notEditable')
    : role.userCount > 0
      ? t('roles.inUse')
      : null;
  return (
    <RowMenu
      name={role.name}
      items={[
        {
          label: t(role.editable ? 'roles.edit' : 'roles.view'),
          icon: role.editable ? Pencil : Eye,
          onSelect: () => onOpen({ dialog: 'edit', role }),
        },
        { label: t('roles.duplicate'), icon: Copy, onSelect: () => onOpen({ dialog: 'copy', role }) },
        {
          label: t('roles.delete'),
          icon: Trash2,
          danger: true,
          disabled: refusal !== null,
          ...(refusal ? { hint: refusal } : {}),
          onSelect: () => onOpen({ dialog: 'delete', role }),
        },
      ]}
    />
  );
}
