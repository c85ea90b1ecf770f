import { useState, type ReactNode } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import { useFlows } from '../../api/flows';
import { askForReset, useMe, useNeedsOwner, useSignIn } from '../../api/me';
import { t } from '../../i18n';
import { Banner, Button, Dialog, EmailField, PasswordField, toast, useForm } from '../../ui';
import { AuthFrame } from './AuthFrame';
import { Form } from './Form';

export default function SignInPage(): ReactNode {
  const [search] = useSearchParams();
  const me = useMe();
  const start = useNeedsOwner(me.data === null);
  const next = search.get('next');
  if (me.data) return next ? <Redirect to={backTo(next)} replace /> : <Landing />;
  if (start.data) return <Redirect to="/setup" replace />;
  return (
    <AuthFrame title={t('auth.signInTitle')}>
      <SignInForm afterReset={search.get('done') === 'reset'} />
    </AuthFrame>
  );
}

/** Where one begins who is on the way to nothing else: at the numbers once there are flows, until then at their list. */
function Landing(): ReactNode {
  const flows = useFlows();
  if (flows.isPending) return null;
  return <Redirect to={flows.data?.length ? '/home' : '/'} replace />;
}

/** Only addresses of this page: never another site. */
export function backTo(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}

function SignInForm({ afterReset }: { afterReset: boolean }): ReactNode {
  const [forgot, setForgot] = useState(false);
  const signIn = useSignIn();
  const form = useForm(
    { email: '', password: '' },
    {
      check: ({ email, password }) => ({
        ...(email.trim() ? {} : { email: t('auth.required') }),
        ...(password ? {} : { password: t('auth.required') }),
      }),
      // Who is signed in is taken on from here by the page around this form.
      send: (values) => signIn.mutateAsync({ email: values.email.trim(), password: values.password }),
      place: (error) => (error.status === 401 ? 'password' : 'form'),
    },
  );
  return (
    <>
      <Form form={form} action={t('auth.signIn')}>
        {afterReset && <Banner tone="success">{t('auth.resetDone')}</Banner>}
        <EmailField label={t('auth.email')} name="email" autoFocus {...form.field('email')} />
        <PasswordField
          label={t('auth.password')}
          name="password"
          {...form.field('password')}
          aside={
            <Button variant="ghost" size="compact" onClick={() => setForgot(true)}>
              {t('auth.forgot')}
            </Button>
          }
        />
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
        <EmailField label={t('auth.email')} {...form.field('email')} />
      </Form>
    </Dialog>
  );
}
