import { Play, Square } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { firstValues, sentForm, type FormField, type StartForm } from '../../core/startForm';
import { Button, Checkbox, Field, Fields, Input, scrollRegion, Select } from '../../ui';
import css from './Composer.module.css';
import { t } from './words';

export interface StartFormFieldsProps {
  form: StartForm;
  busy: boolean;
  /** Gets the words that stand for the form in the conversation, and what is sent. */
  onSend: (shown: string, values: Record<string, unknown>) => void;
  onStop: () => void;
}

/** The form that a flow begins with. What was typed stays when it is refused. */
export default function StartFormFields({ form, busy, onSend, onStop }: StartFormFieldsProps): ReactNode {
  const [values, setValues] = useState(() => firstValues(form));
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
            onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
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
