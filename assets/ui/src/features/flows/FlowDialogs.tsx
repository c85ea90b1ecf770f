import { X } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useChangeFlow, useDeleteFlow } from '../../api/flows';
import type { FlowSummary } from '../../api/models';
import { joinTags, tagsOf } from '../../core/tags';
import { t } from '../../i18n';
import { Button, ConfirmDialog, Dialog, Field, Fields, Input, toast } from '../../ui';
import css from './Flows.module.css';

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
function useSave(
  flow: FlowSummary,
  onClose: () => void,
): (change: { name: string } | { category: string }) => void {
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
  const [name, setName] = useState(flow.name);
  const [error, setError] = useState<string | null>(null);
  const save = useSave(flow, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!name.trim()) setError(t('flows.required'));
    else if (name.trim() === flow.name) onClose();
    else save({ name: name.trim() });
  };
  return (
    <Dialog open onClose={onClose} title={t('flows.rename')} size="small">
      <form onSubmit={submit}>
        <Fields>
          <Field label={t('flows.name')} error={error}>
            <Input
              autoFocus
              value={name}
              maxLength={200}
              onFocus={(event) => event.target.select()}
              onChange={(event) => {
                setName(event.target.value);
                setError(null);
              }}
            />
          </Field>
          <FormEnd onClose={onClose} />
        </Fields>
      </form>
    </Dialog>
  );
}

function EditTags({ flow, onClose }: OneProps): ReactNode {
  const [tags, setTags] = useState(tagsOf(flow.category));
  const [typed, setTyped] = useState('');
  const save = useSave(flow, onClose);
  const withTyped = (): string[] => tagsOf(joinTags([...tags, ...typed.split(/[;,]/)]));
  const add = (): void => {
    setTags(withTyped());
    setTyped('');
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.trim()) add();
    else save({ category: joinTags(tags) });
  };
  return (
    <Dialog open onClose={onClose} title={t('flows.tagsOf', { name: flow.name })} size="small">
      <form onSubmit={submit}>
        <Fields>
          {tags.length > 0 && (
            <ul className={css.tags}>
              {tags.map((tag) => (
                <li key={tag} className={css.chosenTag}>
                  {tag}
                  <button
                    type="button"
                    aria-label={t('flows.tagRemove', { tag })}
                    onClick={() => setTags(tags.filter((one) => one !== tag))}
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
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
          <FormEnd onClose={onClose} onSave={() => save({ category: joinTags(withTyped()) })} />
        </Fields>
      </form>
    </Dialog>
  );
}

function FormEnd({ onClose, onSave }: { onClose: () => void; onSave?: () => void }): ReactNode {
  return (
    <div className={css.end}>
      <Button onClick={onClose}>{t('kit.cancel')}</Button>
      <Button type={onSave ? 'button' : 'submit'} variant="primary" onClick={onSave}>
        {t('kit.save')}
      </Button>
    </div>
  );
}

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
