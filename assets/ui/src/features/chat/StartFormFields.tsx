import { Play, Square } from 'lucide-react';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { sentForm, type FormField, type FormValues, type StartForm } from '../../core/startForm';
import { Button, Checkbox, Field, Fields, Input, scrollRegion, Select } from '../../ui';
import css from './Composer.module.css';
import { t } from './words';

export interface StartFormFieldsProps {
  form: StartForm;
  values: FormValues;
  onChange: (values: FormValues) => void;
  busy: boolean;
  /** Gets the words that stand for the form in the conversation, and what is sent. */
  onSend: (shown: string, values: Record<string, unknown>) => void;
  onStop: () => void;
  /** It is drawn, later than the panel that it comes with. */
  onShown: () => void;
}

/** The form that a flow begins with. */
export default function StartFormFields(props: StartFormFieldsProps): ReactNode {
  const { form, values, onChange, busy, onSend, onStop, onShown } = props;
  useEffect(onShown, [onShown]);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (busy) return;
    const lines = form.fields.map(({ name, label }) => `${label}: ${spoken(values[name])}`);
    onSend(lines.join('\n') || form.title, sentForm(form, values));
  };
  return (
    <form ref={scrollRegion} className={css.form} onSubmit={send} aria-label={form.title || t('chat.fillIn')}>
      {form.title && <h3>{form.title}</h3>}
      {form.description && <p className="muted">{form.description}</p>}
      <Fields>
        {form.fields.map((field) => (
          <OneField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => onChange({ ...values, [field.name]: value })}
          />
        ))}
      </Fields>
      <div className={css.formFoot}>
        {busy ? (
          <Button icon={Square} onClick={onStop}>
            {t('chat.stop')}
          </Button>
        ) : (
          <Button type="submit" variant="primary" icon={Play}>
            {t('chat.sendForm')}
          </Button>
        )}
      </div>
    </form>
  );
}

const spoken = (value: string | boolean | undefined): string =>
  typeof value === 'boolean' ? t(value ? 'chat.isYes' : 'chat.isNo') : (value ?? '') || '–';

interface OneFieldProps {
  field: FormField;
  value: string | boolean;
  onChange: (value: string | boolean) => void;
}

function OneField({ field: { type, label, options }, value, onChange }: OneFieldProps): ReactNode {
  if (type === 'boolean') return <Checkbox label={label} checked={value === true} onChange={onChange} />;
  const text = typeof value === 'string' ? value : '';
  return (
    <Field label={label}>
      {type === 'options' ? (
        <Select
          value={text}
          onChange={onChange}
          options={options.map((option) => ({ value: option, label: option }))}
          placeholder={t('kit.choose')}
        />
      ) : (
        <Input
          type={type === 'number' ? 'number' : 'text'}
          step="any"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
