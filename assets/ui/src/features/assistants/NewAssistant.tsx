import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useCreateAssistant } from '../../api/assistants';
import { Field, FormDialog, Input, useForm } from '../../ui';
import { t } from './words';

/** Makes an assistant that has a name, and goes to where it gets the rest. */
export function NewAssistant({ onClose }: { onClose: () => void }): ReactNode {
  const create = useCreateAssistant();
  const [, go] = useLocation();
  const form = useForm(
    { name: '' },
    {
      check: ({ name }) => (name.trim() ? {} : { name: t('kit.needed') }),
      send: async ({ name }) => {
        const { id } = await create.mutateAsync({ name: name.trim() });
        onClose();
        go(`/flows/${id}`);
      },
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('assistants.new')}
      action={t('assistants.create')}
      size="small"
    >
      <Field label={t('kit.name')} error={form.errors.name} help={t('assistants.nameHelp')}>
        <Input
          autoFocus
          maxLength={200}
          value={form.values.name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
