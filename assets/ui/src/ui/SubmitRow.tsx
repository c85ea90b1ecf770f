import type { ReactNode } from 'react';
import { t } from '../i18n';
import { Banner } from './Banner';
import { Button, type ButtonProps } from './Button';
import { useCountdown } from './States';
import type { FormState } from './useForm';

export interface SubmitRowProps<Values> extends Pick<ButtonProps, 'variant' | 'className' | 'disabled'> {
  form: FormState<Values>;
  /** The words of the button. */
  action: string;
  /** Counts down how long the service takes no other try. */
  countsDown?: boolean;
}

/** The end of a form on a page: what the service said of it as a whole, and its button. */
export function SubmitRow<Values>(props: SubmitRowProps<Values>): ReactNode {
  const { form, action, countsDown, disabled, ...button } = props;
  const left = useCountdown((countsDown && form.wait) || 0);
  return (
    <>
      {form.errors.form && <Banner tone="danger">{form.errors.form}</Banner>}
      <Button {...button} type="submit" busy={form.busy} disabled={disabled || left > 0}>
        {left > 0 ? t('auth.waitSeconds', { seconds: left }) : action}
      </Button>
    </>
  );
}
