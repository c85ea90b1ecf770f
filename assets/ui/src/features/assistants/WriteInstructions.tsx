import type { ReactNode } from 'react';
import { useWriteInstructions } from '../../api/assistants';
import type { PickedCard } from '../../core/nodes';
import { Field, FormDialog, TextArea, useForm } from '../../ui';
import { toCard } from './details';
import { t } from './words';

export interface WriteInstructionsProps {
  /** Who writes them. */
  model: PickedCard;
  /** There are some already. */
  replaces: boolean;
  onClose: () => void;
  onWritten: (text: string) => void;
}

/** Has the model write instructions from what the assistant is for. */
export default function WriteInstructions(props: WriteInstructionsProps): ReactNode {
  const { model, replaces, onClose, onWritten } = props;
  const write = useWriteInstructions();
  const form = useForm(
    { task: '' },
    {
      check: ({ task }) => (task.trim() ? {} : { task: t('kit.needed') }),
      send: async ({ task }) => {
        const { content } = await write.mutateAsync({ task: task.trim(), selectedChatModel: toCard(model) });
        onWritten(content);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('assistants.writeTitle')}
      description={t(replaces ? 'assistants.writeReplaces' : 'assistants.writeText')}
      action={t('assistants.writeNow')}
    >
      <Field label={t('assistants.task')} error={form.errors.task} help={t('assistants.taskHelp')}>
        <TextArea
          autoFocus
          rows={4}
          maxLength={8000}
          value={form.values.task}
          onChange={(event) => form.set('task', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
