import type { ReactNode } from 'react';
import { useMakeStore, useRenameStore, type Store } from '../../api/stores';
import { Field, FormDialog, Input, TextArea, toast, useForm } from '../../ui';
import { t } from './words';

export interface StoreFormProps {
  /** Null for a new one. */
  store: Store | null;
  onClose: () => void;
  /** It was made or changed; its id. */
  onDone?: (id: string) => void;
}

/** The name of a store, and what agents are told of it. */
export default function StoreForm({ store, onClose, onDone }: StoreFormProps): ReactNode {
  const make = useMakeStore();
  const rename = useRenameStore();
  const form = useForm(
    { name: store?.name ?? '', description: store?.description ?? '' },
    {
      check: ({ name }) => (name.trim() ? {} : { name: t('kit.needed') }),
      send: async ({ name, description }) => {
        const body = { name: name.trim(), description: description.trim() };
        const saved = store
          ? await rename.mutateAsync({ id: store.id, ...body })
          : await make.mutateAsync(body);
        toast(store ? t('knowledge.saved') : t('knowledge.created', { name: body.name }));
        onClose();
        onDone?.(saved.id);
      },
      place: (error) => (/name/i.test(error.message) ? 'name' : 'form'),
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(store ? 'knowledge.renameTitle' : 'knowledge.new')}
      action={t(store ? 'knowledge.save' : 'knowledge.make')}
    >
      <Field label={t('kit.name')} error={form.errors.name} help={t('knowledge.nameHelp')}>
        <Input
          autoFocus
          maxLength={255}
          value={form.values.name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      <Field label={t('knowledge.storeDescription')} optional help={t('knowledge.storeDescriptionHelp')}>
        <TextArea
          rows={3}
          maxLength={10_000}
          value={form.values.description}
          onChange={(event) => form.set('description', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
