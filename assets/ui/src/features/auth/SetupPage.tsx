import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Redirect, useLocation } from 'wouter';
import { cached } from '../../api/keys';
import { registerOwner, useMe, useNeedsOwner, useSignIn } from '../../api/me';
import { t } from '../../i18n';
import { EmailField, Field, Input, NewPasswordField, useForm } from '../../ui';
import { AuthFrame } from './AuthFrame';
import { Form } from './Form';
import { NameField } from './NameField';

/** The first start: makes the owner and signs them in. */
export default function SetupPage(): ReactNode {
  const me = useMe();
  const start = useNeedsOwner(me.data === null);
  if (me.data) return <Redirect to="/" replace />;
  if (start.data === false) return <Redirect to="/sign-in" replace />;
  return (
    <AuthFrame title={t('auth.setupTitle')} text={t('auth.setupText')}>
      <SetupForm />
    </AuthFrame>
  );
}

function SetupForm(): ReactNode {
  const client = useQueryClient();
  const [, go] = useLocation();
  const signIn = useSignIn();
  // Asked for only by a service that others can reach; it says so when the token is missing.
  const [needsToken, setNeedsToken] = useState(false);
  const form = useForm(
    { name: '', email: '', password: '', setupToken: '' },
    {
      check: (values) => ({
        ...(values.name.trim() ? {} : { name: t('auth.required') }),
        ...(values.email.trim() ? {} : { email: t('auth.required') }),
        ...(values.password ? {} : { password: t('auth.required') }),
      }),
      send: async ({ name, email, password, setupToken }) => {
        const user = { name: name.trim(), email: email.trim(), credential: password };
        await registerOwner(setupToken.trim() ? { user, setupToken: setupToken.trim() } : { user });
        client.setQueryData(cached.start, false);
        await signIn.mutateAsync({ email: user.email, password });
        go('/', { replace: true });
      },
      place: (error) => {
        if (error.status === 403) {
          setNeedsToken(true);
          return 'setupToken';
        }
        if (/password|credential/i.test(error.message)) return 'password';
        if (/e-mail/i.test(error.message)) return 'email';
        return /name/i.test(error.message) ? 'name' : 'form';
      },
    },
  );
  return (
    <Form form={form} action={t('auth.setup')}>
      <NameField {...form.field('name')} />
      <EmailField label={t('auth.email')} {...form.field('email')} />
      <NewPasswordField label={t('auth.password')} {...form.field('password')} />
      {needsToken && (
        <Field label={t('auth.setupToken')} error={form.errors.setupToken} help={t('auth.setupTokenHelp')}>
          <Input
            autoFocus
            spellCheck={false}
            value={form.values.setupToken}
            onChange={(event) => form.set('setupToken', event.target.value)}
          />
        </Field>
      )}
    </Form>
  );
}
