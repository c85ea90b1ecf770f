import { h } from '../dom';
import type { FormField, LeadsConfig, StartForm } from '../settings';
import type { Texts } from '../texts';

interface Field extends FormField {
  required: boolean;
  input?: 'email' | 'tel' | 'text';
  autocomplete?: string;
}

interface FormNeeds {
  title: string;
  description?: string;
  fields: Field[];
  submit: string;
  texts: Texts;
  /** The sentence to show when it did not work. */
  done: (values: Record<string, string | number | boolean>) => Promise<string | undefined>;
}

let made = 0;

/** A form in the conversation: names of fields above them, errors beside them. */
function form(needs: FormNeeds): HTMLFormElement {
  const problem = h('p', { class: 'warning', role: 'alert' });
  const rows = needs.fields.map((field) => row(field, needs.texts));
  const button = h('button', { type: 'submit', class: 'button primary' }, needs.submit);
  const element = h(
    'form',
    { class: 'form', novalidate: true, 'aria-label': needs.title },
    h('p', { class: 'form-title', dir: 'auto' }, needs.title),
    needs.description !== undefined && h('p', { class: 'muted pre', dir: 'auto' }, needs.description),
    ...rows.map(({ element: inner }) => inner),
    problem,
    button,
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const wrong = rows.filter((one) => !one.check());
    wrong[0]?.control.focus();
    if (wrong.length > 0 || button.disabled) return;
    const values = Object.fromEntries(rows.map(({ name, value }) => [name, value()]));
    button.disabled = true;
    void needs.done(values).then((sentence) => {
      button.disabled = false;
      problem.textContent = sentence ?? '';
    });
  });
  return element;
}

interface Row {
  name: string;
  element: HTMLElement;
  control: HTMLElement;
  check: () => boolean;
  value: () => string | number | boolean;
}

function row(field: Field, texts: Texts): Row {
  made += 1;
  const id = `fk-field-${made}`;
  const error = h('p', { class: 'warning', id: `${id}-error` });
  const common = { id, 'aria-describedby': `${id}-error`, 'aria-required': String(field.required) };
  const label = h('label', { for: id, dir: 'auto' }, field.label);
  if (field.type === 'boolean') {
    const control = h('input', { ...common, type: 'checkbox' });
    const element = h('div', { class: 'field check' }, control, label);
    return { name: field.name, element, control, check: () => true, value: () => control.checked };
  }
  const control =
    field.type === 'options'
      ? h(
          'select',
          common,
          h('option', { value: '' }, texts.choose),
          ...field.options.map((option) => h('option', { value: option }, option)),
        )
      : h('input', {
          ...common,
          type: field.type === 'number' ? 'number' : (field.input ?? 'text'),
          step: 'any',
          autocomplete: field.autocomplete,
          dir: 'auto',
        });
  const check = (): boolean => {
    const text = control.value.trim();
    const sentence =
      field.required && text === '' ? texts.required : control.validity.typeMismatch ? texts.wrongEmail : '';
    error.textContent = sentence;
    control.setAttribute('aria-invalid', String(sentence !== ''));
    return sentence === '';
  };
  const value = (): string | number =>
    field.type === 'number' && control.value !== '' ? Number(control.value) : control.value.trim();
  return {
    name: field.name,
    element: h('div', { class: 'field' }, label, control, error),
    control,
    check,
    value,
  };
}

/** Asks who is there, before the first question. */
export function leadForm(
  config: LeadsConfig,
  texts: Texts,
  send: (lead: Record<string, string>) => Promise<string | undefined>,
): HTMLFormElement {
  const plain = { type: 'string' as const, options: [], required: true };
  const fields: Field[] = [];
  if (config.name) fields.push({ ...plain, name: 'name', label: texts.leadName, autocomplete: 'name' });
  if (config.email)
    fields.push({ ...plain, name: 'email', label: texts.leadEmail, input: 'email', autocomplete: 'email' });
  if (config.phone)
    fields.push({ ...plain, name: 'phone', label: texts.leadPhone, input: 'tel', autocomplete: 'tel' });
  return form({
    title: config.title ?? texts.leadTitle,
    fields,
    submit: texts.leadSend,
    texts,
    done: (values) => send(values as Record<string, string>),
  });
}

/** The form that starts a flow. */
export function startForm(
  config: StartForm,
  texts: Texts,
  send: (values: Record<string, unknown>, shown: string) => void,
): HTMLFormElement {
  return form({
    title: config.title ?? texts.formTitle,
    description: config.description,
    fields: config.fields.map((field) => ({ ...field, required: field.type === 'options' })),
    submit: texts.send,
    texts,
    done: (values) => {
      const shown = config.fields
        .map(({ name, label }) => `${label}: ${String(values[name] ?? '')}`)
        .join('\n');
      send(values, shown);
      return Promise.resolve(undefined);
    },
  });
}
