import type { ReactNode } from 'react';
import { useChangeApiKey, useCreateApiKey, usePermissions, type ApiKey } from '../../api/apiKeys';
import { useCan } from '../../api/me';
import { t } from '../../i18n';
import { Field, FormDialog, Input, Loaded, PermissionGrid, toast, useForm } from '../../ui';

export interface KeyFormProps {
  /** The one that is changed; none for a new one. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onMade: (key: ApiKey) => void;
}

/** Name and permissions of a key, in a panel. */
export function KeyForm({ apiKey, onClose, onMade }: KeyFormProps): ReactNode {
  const can = useCan();
  const catalogue = usePermissions('API_KEY');
  const create = useCreateApiKey();
  const change = useChangeApiKey();
  const form = useForm(
    { keyName: apiKey?.keyName ?? '', permissions: apiKey?.permissions ?? [] },
    {
      check: ({ keyName, permissions }) => ({
        ...(keyName.trim() ? {} : { keyName: t('kit.needed') }),
        ...(permissions.length ? {} : { permissions: t('permissions.choose') }),
      }),
      send: async ({ keyName, permissions }) => {
        const body = { keyName: keyName.trim(), permissions };
        if (apiKey) {
          await change.mutateAsync({ id: apiKey.id, body });
          toast(t('apiKeys.saved', { name: body.keyName }));
          onClose();
        } else {
          onMade(await create.mutateAsync(body));
        }
      },
      place: (error) =>
        /permission/i.test(error.message) ? 'permissions' : /name/i.test(error.message) ? 'keyName' : 'form',
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(apiKey ? 'apiKeys.editTitle' : 'apiKeys.new')}
      action={t(apiKey ? 'kit.save' : 'apiKeys.create')}
      drawer={760}
    >
      <Field label={t('kit.name')} error={form.errors.keyName} help={t('apiKeys.nameHelp')}>
        <Input
          autoFocus
          maxLength={100}
          value={form.values.keyName}
          onChange={(event) => form.set('keyName', event.target.value)}
        />
      </Field>
      <Loaded query={catalogue}>
        {(all) => (
          <PermissionGrid
            catalogue={all}
            value={form.values.permissions}
            onChange={(permissions) => form.set('permissions', permissions)}
            may={(name) => can(name)}
            error={form.errors.permissions}
          />
        )}
      </Loaded>
    </FormDialog>
  );
}
