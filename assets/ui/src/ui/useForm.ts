import { useState, type FormEvent } from 'react';

/** What a refused call tells, as far as a form needs it. */
export interface Refusal {
  status: number;
  message: string;
  /** Seconds until the service takes another try, where it says so. */
  retryAfter?: number | null;
}

export type FormErrors<Values> = Partial<Record<keyof Values | 'form', string>>;

/** What ties a field to one value of a form. */
export interface FormField<Value> {
  value: Value;
  error: string | undefined;
  onChange: (value: Value) => void;
}

export interface FormState<Values> {
  values: Values;
  set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void;
  field: <Name extends keyof Values>(name: Name) => FormField<Values[Name]>;
  errors: FormErrors<Values>;
  busy: boolean;
  /** Something was typed since it was opened. */
  dirty: boolean;
  /** Seconds until the service takes another try. */
  wait: number | null;
  submit: (event?: FormEvent<HTMLFormElement>) => void;
}

export interface FormOptions<Values> {
  /** What is wrong before anything is sent. */
  check?: (values: Values) => FormErrors<Values>;
  /** May throw what the service said. */
  send: (values: Values) => Promise<unknown>;
  /** Beside which field a refusal belongs; otherwise it stands below all fields. */
  place?: (refusal: Refusal) => keyof Values | 'form';
}

/** The state of a small form, on a page or in a dialog. */
export function useForm<Values extends object>(
  first: Values,
  options: FormOptions<Values>,
): FormState<Values> {
  const [values, setValues] = useState(first);
  const [errors, setErrors] = useState<FormErrors<Values>>({});
  const [busy, setBusy] = useState(false);
  const [dirty, setDirty] = useState(false);
  const [wait, setWait] = useState<number | null>(null);
  const send = async (form: HTMLFormElement | undefined): Promise<void> => {
    setBusy(true);
    setWait(null);
    try {
      await options.send(values);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      setWait(cause.retryAfter ?? null);
      setErrors({ [options.place?.(cause) ?? 'form']: cause.message } as FormErrors<Values>);
      focusFirst(form);
    } finally {
      setBusy(false);
    }
  };
  const set: FormState<Values>['set'] = (name, value) => {
    setDirty(true);
    setValues((before) => ({ ...before, [name]: value }));
    setErrors((before) => ({ ...before, [name]: undefined, form: undefined }));
  };
  return {
    values,
    errors,
    busy,
    dirty,
    wait,
    set,
    field: (name) => ({
      value: values[name],
      error: errors[name],
      onChange: (value) => set(name, value),
    }),
    submit: (event) => {
      event?.preventDefault();
      // A dialog opened from a dialog is its child for React: its form is not ours.
      event?.stopPropagation();
      const form = event?.currentTarget;
      const wrong = options.check?.(values) ?? {};
      setErrors(wrong);
      if (Object.values(wrong).some(Boolean)) focusFirst(form);
      else void send(form);
    },
  };
}

function isRefusal(cause: unknown): cause is Refusal {
  return cause instanceof Error && 'status' in cause && typeof cause.status === 'number';
}

function focusFirst(form: HTMLFormElement | undefined): void {
  requestAnimationFrame(() =>
    form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-error]')?.focus(),
  );
}
