import type { ReactNode } from 'react';
import { useChangeProfile } from '../../api/me';
import type { Me } from '../../api/models';
import { t } from '../../i18n';
import {
  EmailField,
  Field,
  Input,
  NewPasswordField,
  PasswordField,
  Section,
  SubmitRow,
  toast,
  useForm,
} from '../../ui';
import css from './Account.module.css';

export function Name({ me }: { me: Me }): ReactNode {
  const change = useChangeProfile();
  const form = useForm(
    { name: me.name },
    {
      check: ({ name }) => (name.trim() ? {} : { name: t('auth.required') }),
      send: async ({ name }) => {
        await change.mutateAsync({ name: name.trim() });
        toast(t('account.saved'));
      },
      place: () => 'name',
    },
  );
  const role = me.assignedWorkspaces.find((one) => one.id === me.activeWorkspaceId)?.role;
  return (
    <Section
      title={t('account.profile')}
      description={role && t('account.role', { role, workspace: me.activeWorkspace ?? '' })}
    >
      <form onSubmit={form.submit} className={css.line} noValidate>
        <Field
          label={t('auth.name')}
          help={t('account.nameText')}
          error={form.errors.name}
          className={css.grow}
        >
          <Input
            autoComplete="name"
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        </Field>
        <SubmitRow
          form={form}
          action={t('kit.save')}
          disabled={form.values.name.trim() === me.name}
          className={css.besideField}
        />
      </form>
    </Section>
  );
}

export function Email({ me }: { me: Me }): ReactNode {
  const change = useChangeProfile();
  const form = useForm(
    { email: me.email, currentPassword: '' },
    {
      check: ({ email, currentPassword }) => ({
        ...(email.trim() ? {} : { email: t('auth.required') }),
        ...(currentPassword ? {} : { currentPassword: t('auth.required') }),
      }),
      send: async ({ email, currentPassword }) => {
        await change.mutateAsync({ email: email.trim(), currentPassword });
        form.set('currentPassword', '');
        toast(t('account.emailChanged'));
      },
      place: (error) => (error.status === 401 ? 'currentPassword' : error.retryAfter ? 'form' : 'email'),
    },
  );
  const changed = form.values.email.trim() !== me.email;
  return (
    <Section title={t('auth.email')} description={t('account.emailText')}>
      <form onSubmit={form.submit} className={css.form} noValidate>
        <EmailField label={t('auth.email')} {...form.field('email')} />
        {changed && <PasswordField label={t('account.currentPassword')} {...form.field('currentPassword')} />}
        <SubmitRow form={form} action={t('account.changeEmail')} disabled={!changed} />
      </form>
    </Section>
  );
}

export function Password({ me }: { me: Me }): ReactNode {
  const change = useChangeProfile();
  const form = useForm(
    { currentPassword: '', newPassword: '' },
    {
      check: ({ currentPassword, newPassword }) => ({
        ...(currentPassword ? {} : { currentPassword: t('auth.required') }),
        ...(newPassword ? {} : { newPassword: t('auth.required') }),
      }),
      send: async (values) => {
        await change.mutateAsync(values);
        form.set('currentPassword', '');
        form.set('newPassword', '');
        toast(t('account.passwordChanged'));
      },
      place: (error) =>
        error.status === 401 ? 'currentPassword' : error.retryAfter ? 'form' : 'newPassword',
    },
  );
  return (
    <Section title={t('auth.password')} description={t('account.passwordText')}>
      <form onSubmit={form.submit} className={css.form} noValidate>
        {/* Password managers store the new password under this name. */}
        <input type="text" autoComplete="username" value={me.email} readOnly hidden />
        <PasswordField label={t('account.currentPassword')} {...form.field('currentPassword')} />
        <NewPasswordField label={t('auth.newPassword')} {...form.field('newPassword')} />
        <SubmitRow form={form} action={t('account.changePassword')} />
      </form>
    </Section>
  );
}
