import type { ReactNode } from 'react';
import { useChangeVariable, useCreateVariable, type Variable, type VariableType } from '../../api/variables';
import { t } from '../../i18n';
import { Field, FormDialog, Input, Segments, TextArea, toast, useForm } from '../../ui';
import { isName } from './name';
import css from './Variables.module.css';

export function VariableForm(props: { variable: Variable | null; onClose: () => void }): ReactNode {
  const { variable, onClose } = props;
  const create = useCreateVariable();
  const change = useChangeVariable();
  const form = useForm(
    {
      name: variable?.name ?? '',
      type: variable?.type ?? ('static' as VariableType),
      value: variable?.value ?? '',
    },
    {
      check: ({ name }) => {
        if (!name.trim()) return { name: t('kit.needed') };
        return isName(name.trim()) ? {} : { name: t('variables.badName') };
      },
      send: async ({ name, type, value }) => {
        const body = { name: name.trim(), type, value: type === 'static' ? value : '' };
        if (variable) await change.mutateAsync({ id: variable.id, body });
        else await create.mutateAsync(body);
        toast(t(variable ? 'variables.saved' : 'variables.made', { name: body.name }));
        onClose();
      },
      place: (error) =>
        error.status === 409 || /name/i.test(error.message)
          ? 'name'
          : /value/i.test(error.message)
            ? 'value'
            : 'form',
    },
  );
  const { name, type, value } = form.values;
  const renamed = variable && name.trim() !== variable.name;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(variable ? 'variables.editTitle' : 'variables.new')}
      action={t(variable ? 'kit.save' : 'variables.create')}
    >
      <Field
        label={t('kit.name')}
        error={form.errors.name}
        help={renamed ? t('variables.renamed') : undefined}
      >
        <Input
          autoFocus
          spellCheck={false}
          maxLength={128}
          value={name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      <div className={css.type}>
        <span className={css.label} aria-hidden>
          {t('variables.type')}
        </span>
        <Segments<VariableType>
          label={t('variables.type')}
          value={type}
          onChange={(next) => form.set('type', next)}
          options={[
            { value: 'static', label: t('variables.static') },
            { value: 'runtime', label: t('variables.runtime') },
          ]}
        />
        <p className="note" role="status">
          {t(`variables.${type}Text`)}
        </p>
      </div>
      {type === 'static' && (
        <Field label={t('variables.value')} error={form.errors.value} help={t('variables.valueHelp')}>
          <TextArea
            rows={3}
            spellCheck={false}
            value={value}
            onChange={(event) => form.set('value', event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}
