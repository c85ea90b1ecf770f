import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { acceptInvitation, useSignIn } from '../../api/me';
import type { LinkInfo } from '../../api/models';
import { t } from '../../i18n';
import { Field, Input, NewPasswordField, useForm } from '../../ui';
import { Form } from './Form';
import { LinkPage } from './LinkPage';
import { NameField } from './NameField';

export default function InvitePage(): ReactNode {
  return (
    <LinkPage
      title={t('auth.acceptTitle')}
      kind="invitation"
      text={(info) =>
        t('auth.acceptText', { workspace: info.workspace ?? '', organization: info.organization })
      }
    >
      {(token, info) => <Accept token={token} info={info} />}
    </LinkPage>
  );
}

function Accept({ token, info }: { token: string; info: LinkInfo }): ReactNode {
  const [, go] = useLocation();
  const signIn = useSignIn();
  const form = useForm(
    { name: info.name ?? '', password: '' },
    {
      check: (values) => ({
        ...(values.name.trim() ? {} : { name: t('auth.required') }),
        ...(values.password ? {} : { password: t('auth.required') }),
      }),
      send: async ({ name, password }) => {
        await acceptInvitation({ name: name.trim(), credential: password, tempToken: token });
        await signIn.mutateAsync({ email: info.email, password });
        go('/', { replace: true });
      },
      place: (error) =>
        /password/i.test(error.message) ? 'password' : /name/i.test(error.message) ? 'name' : 'form',
    },
  );
  return (
    <Form form={form} action={t('auth.accept')}>
      <Field label={t('auth.email')}>
        <Input type="email" autoComplete="username" value={info.email} readOnly />
      </Field>
      <NameField {...form.field('name')} />
      <NewPasswordField label={t('auth.password')} {...form.field('password')} />
    </Form>
  );
}
