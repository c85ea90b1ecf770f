import type { ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useChangeTemplate, type TemplateWords as Words } from '../../api/templates';
import { FormDialog, toast, useForm } from '../../ui';
import type { Entry } from './entries';
import { said, TemplateWords, usesOf } from './TemplateWords';
import { t } from './words';

/** Changes what is said of a template, and whether other workspaces use it; its canvas stays. */
export default function EditTemplate({ entry, onClose }: { entry: Entry; onClose: () => void }): ReactNode {
  const change = useChangeTemplate();
  const fixed = !useCan()('templates:flowexport', 'templates:toolexport');
  const before = said(entry.name, entry.description, entry.kept);
  const form = useForm(before, {
    check: ({ name }) => (name.trim() ? {} : { name: t('kit.needed') }),
    send: async (after) => {
      // What stayed is not sent: a person may be allowed one and not the other.
      const changed: Partial<Words> = {
        ...(after.name === before.name ? {} : { name: after.name.trim() }),
        ...(after.description === before.description ? {} : { description: after.description.trim() }),
        ...(after.uses === before.uses ? {} : { usecases: usesOf(after.uses) }),
        ...(after.shared === before.shared ? {} : { shared: after.shared }),
      };
      if (Object.keys(changed).length > 0) {
        await change.mutateAsync({ id: entry.id, ...changed });
        toast(t('templates.changed', { name: after.name.trim() }));
      }
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('templates.editTitle', { name: entry.name })}
      action={t('kit.save')}
      size="small"
    >
      <TemplateWords form={form} fixed={fixed} />
    </FormDialog>
  );
}
