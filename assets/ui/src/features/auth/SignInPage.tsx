import { useState, type ReactNode } from 'react';
import { Redirect, useLocation, useSearchParams } from 'wouter';
import { askForReset, useMe, useNeedsOwner, useSignIn } from '../../api/me';
import { t } from '../../i18n';
import { Banner, Button, Dialog, Field, Input, toast, PasswordInput, useForm } from '../../ui';
import { AuthFrame } from './AuthFrame';
import { Form } from './Form';

export default function SignInPage(): ReactNode {
  const [search] = useSearchParams();
  const me = useMe();
  const start = useNeedsOwner(me.data === null);
  if (me.data) return <Redirect to={backTo(search.get('next'))} replace />;
  if (start.data) return <Redirect to="/setup" replace />;
  return (
    <AuthFrame title={t('auth.signInTitle')}>
      <SignInForm afterReset={search.get('done') === 'reset'} />
    </AuthFrame>
  );
}

/** Only addresses of this page: never another site. */
export function backTo(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}

function SignInForm({ afterReset }: { afterReset: boolean }): ReactNode {
  const [search] = useSearchParams();
  const [, go] = useLocation();
  const [forgot, setForgot] = useState(false);
  const signIn = useSignIn();
  const next = backTo(search.get('next'));
  const form = useForm(
    { email: '', password: '' },
    {
      check: ({ email, password }) => ({
        ...(email.trim() ? {} : { email: t('auth.required') }),
        ...(password ? {} : { password: t('auth.required') }),
      }),
      send: async (values) => {
        await signIn.mutateAsync({ email: values.email.trim(), password: values.password });
        go(next, { replace: true });
      },
      place: (error) => (error.status === 401 ? 'password' : 'form'),
    },
  );
  return (
    <>
      <Form form={form} action={t('auth.signIn')}>
        {afterReset && <Banner tone="success">{t('auth.resetDone')}</Banner>}
        <Field label={t('auth.email')} error={form.errors.email}>
          <Input
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            value={form.values.email}
            onChange={(event) => form.set('email', event.target.value)}
          />
        </Field>
        <Field
          label={t('auth.password')}
          error={form.errors.password}
          aside={
            <Button variant="ghost" size="compact" onClick={() => setForgot(true)}>
              {t('auth.forgot')}
            </Button>
          }
        >
          <PasswordInput
            name="password"
            autoComplete="current-password"
            value={form.values.password}
            onChange={(event) => form.set('password', event.target.value)}
          />
        </Field>
      </Form>
      {forgot && <Forgot email={form.values.email} onClose={() => setForgot(false)} />}
    </>
  );
}

function Forgot({ email, onClose }: { email: string; onClose: () => void }): ReactNode {
  const form = useForm(
    { email },
    {
      check: (values) => (values.email.trim() ? {} : { email: t('auth.required') }),
      send: async (values) => {
        const { message } = await askForReset(values.email.trim());
        toast(message);
        onClose();
      },
    },
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('auth.forgotTitle')}
      description={t('auth.forgotText')}
      size="small"
    >
      <Form form={form} action={t('auth.forgotSend')}>
        <Field label={t('auth.email')} error={form.errors.email}>
          <Input
            type="email"
            autoComplete="username"
            value={form.values.email}
            onChange={(event) => form.set('email', event.target.value)}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
