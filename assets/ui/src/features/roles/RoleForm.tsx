import { Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePermissions } from '../../api/apiKeys';
import { useCan, useMe } from '../../api/me';
import { useChangeRole, useCreateRole, type Role } from '../../api/roles';
import { t } from '../../i18n';
import { Banner, Button, Field, FormDialog, Input, Loaded, PermissionGrid, toast, useForm } from '../../ui';

export interface RoleFormProps {
  /** The one that is changed; none for a new one. */
  role?: Role | null;
  /** The one that a new role begins as. */
  like?: Role;
  onClose: () => void;
  onCopy?: () => void;
}

/** Only the owner gives the management of people and roles away. */
const ownersOnly = ['users:manage', 'roles:manage'];

export function RoleForm({ role, like, onClose, onCopy }: RoleFormProps): ReactNode {
  const can = useCan();
  const owner = useMe().data?.isOrganizationAdmin ?? false;
  const may = (name: string): boolean => owner || (can(name) && !ownersOnly.includes(name));
  const catalogue = usePermissions('ROLE');
  const create = useCreateRole();
  const change = useChangeRole();
  const readOnly = role ? !role.editable : false;
  const from = role ?? like;
  const form = useForm(
    {
      name: role?.name ?? (like ? t('roles.copyOf', { name: like.name }) : ''),
      description: from?.description ?? '',
      permissions: role ? role.permissions : (like?.permissions.filter(may) ?? []),
    },
    {
      check: ({ name, permissions }) => ({
        ...(name.trim() ? {} : { name: t('kit.needed') }),
        ...(permissions.length ? {} : { permissions: t('permissions.choose') }),
      }),
      send: async ({ name, description, permissions }) => {
        const body = { name: name.trim(), description: description.trim(), permissions };
        if (role) await change.mutateAsync({ id: role.id, body });
        else await create.mutateAsync(body);
        toast(t(role ? 'roles.saved' : 'roles.made', { name: body.name }));
        onClose();
      },
      place: (error) => {
        if (error.status === 409 || /\bname\b/i.test(error.message)) return 'name';
        return /permission/i.test(error.message) ? 'permissions' : 'form';
      },
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={readOnly && role ? role.name : t(role ? 'roles.editTitle' : 'roles.new')}
      action={t(role ? 'kit.save' : 'roles.create')}
      readOnly={readOnly}
      drawer={760}
      extra={
        readOnly &&
        onCopy && (
          <Button icon={Copy} onClick={onCopy}>
            {t('roles.duplicate')}
          </Button>
        )
      }
    >
      {readOnly ? (
        <Banner>{t(role?.builtIn ? 'roles.builtInText' : 'roles.notEditable')}</Banner>
      ) : (
        <>
          <Field label={t('kit.name')} error={form.errors.name}>
            <Input
              autoFocus
              maxLength={100}
              value={form.values.name}
              onFocus={(event) => like && event.target.select()}
              onChange={(event) => form.set('name', event.target.value)}
            />
          </Field>
          <Field label={t('roles.purpose')} optional error={form.errors.description}>
            <Input
              maxLength={500}
              value={form.values.description}
              onChange={(event) => form.set('description', event.target.value)}
            />
          </Field>
        </>
      )}
      <Loaded query={catalogue}>
        {(all) => (
          <PermissionGrid
            catalogue={all}
            value={form.values.permissions}
            onChange={(permissions) => form.set('permissions', permissions)}
            may={may}
            readOnly={readOnly}
            error={form.errors.permissions}
          />
        )}
      </Loaded>
    </FormDialog>
  );
}
