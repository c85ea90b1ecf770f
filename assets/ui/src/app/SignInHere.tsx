import { useState, type ReactNode } from 'react';
import { useMe, useSignInAgain } from '../api/me';
import { t } from '../i18n';
import { ConfirmDialog, EmailField, FormDialog, PasswordField, useForm } from '../ui';

/** Signs in over a page that holds edits: it stays as it is, and what waited to be sent goes on. */
export default function SignInHere({
  onDone,
  onLeave,
}: {
  /** `same`: the page is still that person's. */
  onDone: (same: boolean) => void;
  onLeave: () => void;
}): ReactNode {
  const me = useMe().data;
  const signIn = useSignInAgain();
  const [leaving, setLeaving] = useState(false);
  const form = useForm(
    { email: me?.email ?? '', password: '' },
    {
      check: ({ email, password }) => ({
        ...(email.trim() ? {} : { email: t('auth.required') }),
        ...(password ? {} : { password: t('auth.required') }),
      }),
      send: async ({ email, password }) => {
        onDone(await signIn.mutateAsync({ email: email.trim(), password }));
      },
      place: (error) => (error.status === 401 ? 'password' : 'form'),
    },
  );
  return (
    <>
      <FormDialog
        // What is typed here is no loss; the page below would be.
        form={{ ...form, dirty: false }}
        onClose={() => setLeaving(true)}
        cancel={t('auth.leave')}
        title={t('auth.againTitle')}
        description={t('auth.againText')}
        action={t('auth.signIn')}
        size="small"
      >
        <EmailField label={t('auth.email')} name="email" {...form.field('email')} />
        <PasswordField label={t('auth.password')} name="password" autoFocus {...form.field('password')} />
      </FormDialog>
      <ConfirmDialog
        open={leaving}
        onClose={() => setLeaving(false)}
        onConfirm={onLeave}
        title={t('app.leaveTitle')}
        confirm={t('auth.leave')}
      >
        {t('app.leaveText')}
      </ConfirmDialog>
    </>
  );
}
