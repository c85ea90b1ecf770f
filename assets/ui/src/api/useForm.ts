import { useState, type FormEvent } from 'react';
import { ApiError } from './client';

export interface FormState<Values> {
  values: Values;
  set: (name: keyof Values, value: string) => void;
  errors: Partial<Record<keyof Values | 'form', string>>;
  busy: boolean;
  /** Seconds until the service takes another try. */
  wait: number | null;
  submit: (event: FormEvent) => void;
}

/**
 * The state of a small form. `send` may throw; `place` says beside which field an error of the service belongs
 * (otherwise it is shown above the button).
 */
export function useForm<Values extends Record<string, string>>(
  first: Values,
  options: {
    check?: (values: Values) => Partial<Record<keyof Values, string>>;
    send: (values: Values) => Promise<unknown>;
    place?: (error: ApiError) => keyof Values | 'form';
  },
): FormState<Values> {
  const [values, setValues] = useState(first);
  const [errors, setErrors] = useState<FormState<Values>['errors']>({});
  const [busy, setBusy] = useState(false);
  const [wait, setWait] = useState<number | null>(null);
  const send = async (): Promise<void> => {
    setBusy(true);
    setWait(null);
    try {
      await options.send(values);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setWait(error.retryAfter);
      setErrors({ [options.place?.(error) ?? 'form']: error.message } as FormState<Values>['errors']);
    } finally {
      setBusy(false);
    }
  };
  return {
    values,
    errors,
    busy,
    wait,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      setErrors((before) => ({ ...before, [name]: undefined, form: undefined }));
    },
    submit: (event) => {
      event.preventDefault();
      const form = event.currentTarget as HTMLFormElement;
      const wrong = options.check?.(values) ?? {};
      setErrors(wrong as FormState<Values>['errors']);
      if (Object.values(wrong).some(Boolean)) {
        requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
        return;
      }
      void send();
    },
  };
}
