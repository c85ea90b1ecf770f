import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChangeFlow, useDeleteFlow } from '../../api/flows';
import type { FlowSummary } from '../../api/models';
import { joinTags, tagsOf } from '../../core/tags';
import { ConfirmDialog, Field, FormDialog, Input, toast, useForm } from '../../ui';
import css from './Flows.module.css';
import { t } from './words';

export interface Open {
  dialog: 'rename' | 'tags' | 'delete';
  flow: FlowSummary;
}

interface OneProps {
  flow: FlowSummary;
  onClose: () => void;
}

/** The dialogs behind the menu of a flow. */
export function FlowDialogs({ open, onClose }: { open: Open | null; onClose: () => void }): ReactNode {
  if (!open) return null;
  const { dialog, flow } = open;
  if (dialog === 'rename') return <Rename flow={flow} onClose={onClose} />;
  if (dialog === 'tags') return <EditTags flow={flow} onClose={onClose} />;
  return <Delete flow={flow} onClose={onClose} />;
}

/** Shown at once; a refusal brings the old value back and says so. */
function useSave({ flow, onClose }: OneProps): (change: { name: string } | { category: string }) => void {
  const change = useChangeFlow();
  return (part) => {
    change.mutate(
      { id: flow.id, ...part },
      { onError: (error) => toast({ text: `${t('flows.noChange')}. ${error.message}`, tone: 'danger' }) },
    );
    onClose();
  };
}

function Rename({ flow, onClose }: OneProps): ReactNode {
  const save = useSave({ flow, onClose });
  const form = useForm(
    { name: flow.name },
    {
      check: ({ name }) => (name.trim() ? {} : { name: t('flows.required') }),
      send: async ({ name }) => (name.trim() === flow.name ? onClose() : save({ name: name.trim() })),
    },
  );
  const { value, error, onChange } = form.field('name');
  return (
    <FormDialog
      form={{ ...form, dirty: value !== flow.name }}
      onClose={onClose}
      title={t('flows.rename')}
      action={t('kit.save')}
      size="small"
    >
      <Field label={t('flows.name')} error={error}>
        <Input
          autoFocus
          value={value}
          maxLength={200}
          onFocus={(event) => event.target.select()}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function EditTags({ flow, onClose }: OneProps): ReactNode {
  const had = tagsOf(flow.category);
  const save = useSave({ flow, onClose });
  const form = useForm(
    { tags: had, typed: '' },
    { send: async (values) => save({ category: joinTags(withTyped(values)) }) },
  );
  const { tags, typed } = form.values;
  return (
    <FormDialog
      form={{ ...form, dirty: typed.trim() !== '' || joinTags(tags) !== joinTags(had) }}
      onClose={onClose}
      title={t('flows.tagsOf', { name: flow.name })}
      action={t('kit.save')}
      size="small"
    >
      {tags.length > 0 && (
        <ul className={css.tags}>
          {tags.map((tag) => (
            <li key={tag} className={css.chosenTag}>
              {tag}
              <button
                type="button"
                aria-label={t('flows.tagRemove', { tag })}
                onClick={() =>
                  form.set(
                    'tags',
                    tags.filter((one) => one !== tag),
                  )
                }
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Field label={t('flows.tagAdd')} help={t('flows.tagHelp')}>
        <Input
          autoFocus
          value={typed}
          maxLength={60}
          onChange={(event) => form.set('typed', event.target.value)}
          // Enter adds the tag, and saves where none is typed.
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || !typed.trim()) return;
            event.preventDefault();
            form.set('tags', withTyped(form.values));
            form.set('typed', '');
          }}
        />
      </Field>
    </FormDialog>
  );
}

const withTyped = ({ tags, typed }: { tags: readonly string[]; typed: string }): string[] =>
  tagsOf(joinTags([...tags, ...typed.split(/[;,]/)]));

function Delete({ flow, onClose }: OneProps): ReactNode {
  const remove = useDeleteFlow();
  const confirm = (): void =>
    remove.mutate(flow.id, {
      onSuccess: () => {
        toast(t('flows.deleted', { name: flow.name }));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={confirm}
      title={t('flows.deleteTitle', { name: flow.name })}
      confirm={t('flows.deleteFlow')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
    >
      {t('flows.deleteText')}
    </ConfirmDialog>
  );
}
