import type { ReactNode } from 'react';
import { useFlows } from '../../api/flows';
import type { FlowType } from '../../api/models';
import { useMakeTemplate } from '../../api/templates';
import { compareNames } from '../../core/format';
import { Combobox, Field, FormDialog, toast, useForm } from '../../ui';
import { said, TemplateWords, usesOf } from './TemplateWords';
import { t } from './words';

export interface NewTemplateProps {
  /** The flow that is meant already; empty when it is yet to be chosen. */
  of: string;
  onClose: () => void;
}

/** The kinds of flow that templates are made of: an assistant is told by its form, which a template does not keep. */
const KINDS: readonly FlowType[] = ['CHATFLOW', 'AGENTFLOW', 'MULTIAGENT', 'HARNESS', 'ETL'];

/** Keeps a flow of the workspace as a template. */
export default function NewTemplate({ of, onClose }: NewTemplateProps): ReactNode {
  const flows = useFlows();
  const make = useMakeTemplate();
  const fit = (flows.data ?? [])
    .filter(({ type }) => KINDS.includes(type))
    .sort((a, b) => compareNames(a.name, b.name));
  const form = useForm(
    { flow: of, ...said() },
    {
      check: ({ flow, name }) => ({
        ...(flow ? {} : { flow: t('kit.needed') }),
        ...(name.trim() ? {} : { name: t('kit.needed') }),
      }),
      send: async ({ flow, name, description, uses, shared }) => {
        await make.mutateAsync({
          chatflowId: flow,
          name: name.trim(),
          description: description.trim(),
          usecases: usesOf(uses),
          ...(shared ? { shared } : {}),
        });
        toast(t('templates.made', { name: name.trim() }));
        onClose();
      },
    },
  );
  const pick = (flow: string): void => {
    form.set('flow', flow);
    const chosen = fit.find(({ id }) => id === flow);
    if (!form.values.name && chosen) form.set('name', chosen.name);
  };
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('templates.new')}
      description={t('templates.newText')}
      action={t('templates.create')}
      size="small"
    >
      <Field label={t('templates.ofFlow')} error={form.errors.flow}>
        <Combobox
          value={form.values.flow}
          onChange={pick}
          loading={!flows.data && !flows.error}
          failure={flows.error?.message ?? null}
          options={fit.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <TemplateWords form={form} />
    </FormDialog>
  );
}
