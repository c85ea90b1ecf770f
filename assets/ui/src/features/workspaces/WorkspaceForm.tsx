import type { ReactNode } from 'react';
import { useChangeWorkspace, useCreateWorkspace, type Workspace } from '../../api/workspaces';
import { t } from '../../i18n';
import { Field, FormDialog, Input, toast, useForm } from '../../ui';

export function WorkspaceForm(props: { workspace?: Workspace; onClose: () => void }): ReactNode {
  const { workspace, onClose } = props;
  const create = useCreateWorkspace();
  const change = useChangeWorkspace();
  const form = useForm(
    { name: workspace?.name ?? '', description: workspace?.description ?? '' },
    {
      check: ({ name }) => (name.trim() ? {} : { name: t('kit.needed') }),
      send: async (values) => {
        const body = { name: values.name.trim(), description: values.description.trim() };
        if (workspace) await change.mutateAsync({ id: workspace.id, ...body });
        else await create.mutateAsync(body);
        toast(t(workspace ? 'workspaces.saved' : 'workspaces.made', { name: body.name }));
        onClose();
      },
      place: (error) => (error.status === 409 || /name/i.test(error.message) ? 'name' : 'form'),
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(workspace ? 'workspaces.editTitle' : 'workspaces.new')}
      action={t(workspace ? 'kit.save' : 'workspaces.create')}
    >
      <Field label={t('kit.name')} error={form.errors.name}>
        <Input
          autoFocus
          maxLength={100}
          value={form.values.name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      <Field label={t('workspaces.purpose')} optional error={form.errors.description}>
        <Input
          maxLength={500}
          value={form.values.description}
          onChange={(event) => form.set('description', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
