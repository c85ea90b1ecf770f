import type { ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useChangeTool, useCreateTool, type Tool } from '../../api/tools';
import { t } from '../../i18n';
import { CodeField, Field, FormDialog, Input, TextArea, toast, useForm } from '../../ui';
import { ArgumentRows } from './ArgumentRows';
import { problemsOf, readArguments, writeArguments } from './arguments';

/** What a new tool begins with. */
const sample = "// Arguments are $name. What you return is the answer.\nreturn 'done'\n";

export function ToolForm({ tool, onClose }: { tool: Tool | null; onClose: () => void }): ReactNode {
  const can = useCan();
  const create = useCreateTool();
  const change = useChangeTool();
  const readOnly = !(tool ? can('tools:create', 'tools:update') : can('tools:create'));
  const form = useForm(
    {
      name: tool?.name ?? '',
      description: tool?.description ?? '',
      rows: readArguments(tool?.schema ?? ''),
      func: tool?.func ?? sample,
    },
    {
      check: ({ name, rows }) => ({
        ...(name.trim() ? {} : { name: t('kit.needed') }),
        ...(problemsOf(rows).size ? { rows: 'wrong' } : {}),
      }),
      send: async ({ name, description, rows, func }) => {
        const body = { name: name.trim(), description, func, schema: writeArguments(rows) };
        if (tool) await change.mutateAsync({ id: tool.id, body });
        else await create.mutateAsync(body);
        toast(t(tool ? 'tools.saved' : 'tools.made', { name: body.name }));
        onClose();
      },
      place: (error) =>
        (
          [
            [/description/i, 'description'],
            [/func/i, 'func'],
            [/\bname\b/i, 'name'],
          ] as const
        ).find(([pattern]) => pattern.test(error.message))?.[1] ?? 'form',
    },
  );
  const { name, description, rows, func } = form.values;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(!tool ? 'tools.new' : readOnly ? 'tools.viewTitle' : 'tools.editTitle')}
      action={t(tool ? 'kit.save' : 'tools.create')}
      readOnly={readOnly}
      drawer={760}
    >
      <Field label={t('kit.name')} error={form.errors.name} help={readOnly ? null : t('tools.nameHelp')}>
        <Input
          autoFocus={!readOnly}
          readOnly={readOnly}
          maxLength={128}
          spellCheck={false}
          value={name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      <Field
        label={t('tools.purpose')}
        error={form.errors.description}
        help={readOnly ? null : t('tools.purposeHelp')}
      >
        <TextArea
          rows={2}
          readOnly={readOnly}
          maxLength={4096}
          value={description}
          onChange={(event) => form.set('description', event.target.value)}
        />
      </Field>
      <ArgumentRows
        rows={rows}
        problems={form.errors.rows ? problemsOf(rows) : new Map()}
        readOnly={readOnly}
        onChange={(next) => form.set('rows', next)}
      />
      <Field label={t('tools.code')} error={form.errors.func} help={t('tools.codeHelp')}>
        <CodeField
          language="javascript"
          lineNumbers
          minLines={10}
          maxLines={24}
          readOnly={readOnly}
          value={func}
          completions={[
            ...rows
              .filter((row) => row.property)
              .map((row) => ({ label: `$${row.property}`, detail: row.type })),
            { label: '$vars' },
            { label: '$flow' },
          ]}
          onChange={(next) => form.set('func', next)}
        />
      </Field>
    </FormDialog>
  );
}
