import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { resetPassword } from '../../api/me';
import { t } from '../../i18n';
import { NewPasswordField, useForm } from '../../ui';
import { Form } from './Form';
import { LinkPage } from './LinkPage';

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
      <NewPasswordField label={t('auth.newPassword')} autoFocus {...form.field('password')} />
    </Form>
  );
}
