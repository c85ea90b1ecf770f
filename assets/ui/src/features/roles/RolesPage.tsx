import { Copy, Lock, ShieldCheck } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useDeleteRole, useRoles, type Role } from '../../api/roles';
import { t } from '../../i18n';
import { Badge, PermissionList, ResourcePage, updatedColumn } from '../../ui';
import { RoleForm } from './RoleForm';
import './words';

/** The roles of the organization. */
export default function RolesPage(): ReactNode {
  const manages = useCan()('roles:manage');
  // What a copy begins as.
  const [like, setLike] = useState<Role | null>(null);
  return (
    <>
      <ResourcePage
        texts="roles"
        icon={ShieldCheck}
        query={useRoles(manages)}
        missing={{ view: manages ? null : 'roles:manage', create: null, update: null, delete: null }}
        viewable
        isEditable={(row) => row.editable}
        deleteBlockedBy={deleteBlockedBy}
        name={(row) => row.name}
        purpose={(row) => row.description}
        words={(row) => [row.name, row.description]}
        columns={[
          {
            id: 'type',
            header: t('roles.type'),
            width: '110px',
            wideOnly: true,
            cell: (row) =>
              row.builtIn ? (
                <Badge icon={Lock}>{t('roles.builtIn')}</Badge>
              ) : (
                <Badge tone="accent">{t('roles.own')}</Badge>
              ),
          },
          {
            id: 'permissions',
            header: t('roles.permissions'),
            cell: (row) => <PermissionList permissions={row.permissions} name={row.name} />,
          },
          {
            id: 'people',
            header: t('roles.people'),
            align: 'end',
            wideOnly: true,
            cell: (row) => row.userCount,
          },
          updatedColumn(),
        ]}
        actions={(row) => [{ label: t('roles.duplicate'), icon: Copy, onSelect: () => setLike(row) }]}
        remove={useDeleteRole()}
        form={(row, close) => (
          <RoleForm
            role={row}
            onClose={close}
            onCopy={() => {
              close();
              setLike(row);
            }}
          />
        )}
      />
      {like && <RoleForm like={like} onClose={() => setLike(null)} />}
    </>
  );
}

/** The service refuses while somebody holds it, also in an open invitation. */
function deleteBlockedBy({ editable, builtIn, userCount }: Role): string | null {
  if (!editable) return t(builtIn ? 'roles.builtIn' : 'roles.notEditable');
  return userCount > 0 ? t('roles.inUse') : null;
}
