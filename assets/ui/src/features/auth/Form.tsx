import type { ReactNode } from 'react';
import { SubmitRow, type FormState } from '../../ui';
import css from './Auth.module.css';

interface FormProps<Values> {
  form: FormState<Values>;
  /** The words of the button. */
  action: string;
  children: ReactNode;
}

/** A form with its one button; what the service said as a whole stands above it. */
export function Form<Values>({ form, action, children }: FormProps<Values>): ReactNode {
  return (
    <form className={css.form} onSubmit={form.submit} noValidate>
      {children}
      <SubmitRow form={form} action={action} variant="primary" className={css.submit} countsDown />
    </form>
  );
}
