import { type ReactNode } from 'react';
import { Badge, Checkbox, Field, Input, later, PasswordInput, Select, Switch } from '../../../ui';
import { t } from '../words';
import { ChoiceField } from './ChoiceField';
import { CodeInput, isJavaScript } from '../code/CodeInput';
import { codeNames } from '../code/names';
import { isOverridable, usePanel, type FieldProps } from './context';
import { CredentialField } from './CredentialField';
import { FileField } from './FileField';
import css from './Panel.module.css';
import { JsonField } from './JsonField';
import { RowsField } from './RowsField';
import { StateKeyField } from './StateKeyField';
import { asBoolean, asChoices, asText } from './values';
import { VariableText } from './VariableText';

/** Lists whose rows set keys of the state. */
const STATE_ROWS = /UpdateState$|^updateStateMemoryUI$/;

const AnswerKeys = later(() => import('../answer/AnswerKeys'));

/** One input of a card, by what it holds. */
export function ParamField({ param, scope }: FieldProps): ReactNode {
  const open = isOverridable(usePanel(), { param, scope });
  const aside = open ? <Badge>{t('editor.overridable')}</Badge> : undefined;
  if (param.type === 'boolean') return <OnOff param={param} scope={scope} aside={aside} />;
  if (param.type === 'array' && /(StructuredOutput|ReportSchema)$/.test(param.name))
    return <AnswerKeys param={param} scope={scope} />;
  if (param.type === 'array') return <RowsField param={param} scope={scope} />;
  if (param.type === 'json' || (param.type === 'code' && !isJavaScript(param.name)))
    return <JsonField param={param} scope={scope} aside={aside} />;
  return (
    <Field
      label={param.label}
      help={param.description}
      required={param.optional !== true}
      error={scope.faults?.get(param.name) ?? null}
      {...(aside ? { aside } : {})}
    >
      <Control param={param} scope={scope} />
    </Field>
  );
}

function OnOff({ param, scope, aside }: FieldProps & { aside: ReactNode }): ReactNode {
  const { readOnly } = usePanel();
  return (
    <div className={css.onOff}>
      <Switch
        checked={asBoolean(scope.values[param.name])}
        onChange={(on) => scope.change({ [param.name]: on })}
        label={param.label}
        help={param.description}
        disabled={readOnly}
        spread
      />
      {aside}
    </div>
  );
}

function Control({ param, scope }: FieldProps): ReactNode {
  const { readOnly, offers, state } = usePanel();
  const value = scope.values[param.name];
  const set = (next: unknown): void => scope.change({ [param.name]: next });
  switch (param.type) {
    case 'options':
      return <OneOf param={param} scope={scope} />;
    case 'multiOptions':
      return <SomeOf param={param} scope={scope} />;
    case 'asyncOptions':
    case 'asyncMultiOptions':
      return <ChoiceField param={param} scope={scope} />;
    case 'credential':
      return <CredentialField param={param} scope={scope} />;
    case 'file':
      return <FileField param={param} scope={scope} />;
    case 'password':
      return (
        <PasswordInput
          value={asText(value)}
          readOnly={readOnly}
          onChange={(event) => set(event.target.value)}
        />
      );
    case 'number':
      if (param.acceptVariable === true) break;
      return (
        <Input
          type="number"
          step={param.step ?? 'any'}
          value={asText(value)}
          readOnly={readOnly}
          onChange={(event) => set(event.target.value)}
        />
      );
    case 'code':
      return (
        <CodeInput
          param={param}
          scope={scope}
          value={asText(value)}
          onChange={set}
          readOnly={readOnly}
          completions={codeNames(scope.values, offers(false), state)}
        />
      );
  }
  if (param.name === 'key' && STATE_ROWS.test(scope.list ?? ''))
    return <StateKeyField param={param} scope={scope} />;
  const lines = param.rows ?? 1;
  if (param.acceptVariable === true || lines > 1) {
    const output = /UpdateState$/.test(scope.list ?? '');
    return (
      <VariableText
        value={asText(value)}
        onChange={set}
        offers={param.acceptVariable === true ? offers(output) : []}
        rows={lines}
        readOnly={readOnly}
        label={param.label}
      />
    );
  }
  return <Input value={asText(value)} readOnly={readOnly} onChange={(event) => set(event.target.value)} />;
}

function OneOf({ param, scope }: FieldProps): ReactNode {
  const { readOnly } = usePanel();
  const value = asText(scope.values[param.name]);
  const options = (param.options ?? []).map((one) => ({
    value: one.name,
    label: one.label,
    ...(one.description ? { description: one.description } : {}),
  }));
  const strange =
    value !== '' && !options.some((one) => one.value === value) ? [{ value, label: value }] : [];
  return (
    <Select
      value={value}
      onChange={(next) => scope.change({ [param.name]: next })}
      options={[
        ...(param.optional ? [{ value: '', label: t('editor.notSet') }] : []),
        ...options,
        ...strange,
      ]}
      placeholder={t('kit.choose')}
      disabled={readOnly}
    />
  );
}

function SomeOf({ param, scope }: FieldProps): ReactNode {
  const { readOnly } = usePanel();
  const chosen = asChoices(scope.values[param.name]);
  return (
    <div role="group" aria-label={param.label} className={css.some}>
      {(param.options ?? []).map((one) => (
        <Checkbox
          key={one.name}
          checked={chosen.includes(one.name)}
          label={one.label}
          disabled={readOnly}
          onChange={(on) => {
            const next = on ? [...chosen, one.name] : chosen.filter((name) => name !== one.name);
            scope.change({ [param.name]: next.length > 0 ? JSON.stringify(next) : '' });
          }}
        />
      ))}
    </div>
  );
}
