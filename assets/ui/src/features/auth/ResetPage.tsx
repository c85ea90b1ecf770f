import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { resetPassword } from '../../api/me';
import { t } from '../../i18n';
import { Field, PasswordInput } from '../../ui';
import { Form } from './Form';
import { LinkPage } from './LinkPage';
import { PASSWORD_MIN } from './rules';
import { useForm } from '../../api/useForm';

export default function ResetPage(): ReactNode {
  return (
    <LinkPage
      title={t('auth.resetTitle')}
      kind="reset"
      text={(info) => t('auth.resetText', { email: info.email })}
    >
      {(token) => <NewPassword token={token} />}
    </LinkPage>
  );
}

function NewPassword({ token }: { token: string }): ReactNode {
  const [, go] = useLocation();
  const form = useForm(
    { password: '' },
    {
      check: (values) => (values.password ? {} : { password: t('auth.required') }),
      send: async ({ password }) => {
        await resetPassword({ tempToken: token, password });
        go('/sign-in?done=reset', { replace: true });
      },
      place: (error) => (/password/i.test(error.message) ? 'password' : 'form'),
    },
  );
  return (
    <Form form={form} action={t('auth.setPassword')}>
      <Field
        label={t('auth.newPassword')}
        error={form.errors.password}
        help={t('auth.passwordHelp', { count: PASSWORD_MIN })}
      >
        <PasswordInput
          autoFocus
          autoComplete="new-password"
          value={form.values.password}
          onChange={(event) => form.set('password', event.target.value)}
        />
      </Field>
    </Form>
  );
}
