import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Banner, Button, useCountdown, type FormState } from '../../ui';
import css from './Auth.module.css';

interface FormProps<Values> {
  form: FormState<Values>;
  /** The words of the button. */
  action: string;
  children: ReactNode;
}

/** A form with its one button; what the service said as a whole stands above it. */
export function Form<Values>({ form, action, children }: FormProps<Values>): ReactNode {
  const left = useCountdown(form.wait ?? 0);
  return (
    <form className={css.form} onSubmit={form.submit} noValidate>
      {children}
      {form.errors.form && <Banner tone="danger">{form.errors.form}</Banner>}
      <Button type="submit" variant="primary" className={css.submit} busy={form.busy} disabled={left > 0}>
        {left > 0 ? t('auth.waitSeconds', { seconds: left }) : action}
      </Button>
    </form>
  );
}
