import { useState, type ReactNode } from 'react';
import { useMe } from '../../api/me';
import { useInvite } from '../../api/people';
import { leastRole, useRoles } from '../../api/roles';
import { useAddMember, useWorkspaces } from '../../api/workspaces';
import { t } from '../../i18n';
import { Button, Field, FormDialog, Input, Select, toast, useForm } from '../../ui';
import type { NewLink } from './LinkOnce';

export interface FirstInvite {
  email: string;
  name: string;
  workspaceId: string;
  roleId: string;
}

export interface InviteDialogProps {
  /** What it begins with, when a link is made anew. */
  first?: FirstInvite | undefined;
  onClose: () => void;
  onMade: (link: NewLink) => void;
}

/** Makes a link for somebody new; who has an account already is added instead. */
export function InviteDialog({ first, onClose, onMade }: InviteDialogProps): ReactNode {
  const me = useMe().data;
  const invite = useInvite();
  const add = useAddMember();
  const roles = (useRoles().data ?? []).filter((role) => role.assignable);
  const workspaces = (useWorkspaces().data ?? []).filter((one) => me?.isOrganizationAdmin || one.isActive);
  const [known, setKnown] = useState<string | null>(null);
  const form = useForm<FirstInvite>(
    first ?? { email: '', name: '', workspaceId: me?.activeWorkspaceId ?? '', roleId: '' },
    {
      check: ({ email }) => (email.trim() ? {} : { email: t('users.required') }),
      send: async (values) => {
        setKnown(null);
        const { email, name, workspaceId } = values;
        const made = await invite.mutateAsync({
          user: { email: email.trim(), ...(name.trim() ? { name: name.trim() } : {}) },
          workspaceId,
          roleId: values.roleId || fallback,
        });
        if (made.link) onMade({ kind: 'invitation', name: made.email, link: made.link });
      },
      place: (error) => {
        if (error.status === 409 && /account/i.test(error.message)) setKnown(form.values.email.trim());
        if (error.status === 409 || /e-?mail/i.test(error.message)) return 'email';
        return /\bname\b/i.test(error.message) ? 'name' : /role/i.test(error.message) ? 'roleId' : 'form';
      },
    },
  );
  const fallback = leastRole(roles);
  const { email, name, workspaceId, roleId } = form.values;
  const addInstead = (): void =>
    add.mutate(
      { workspaceId, email: email.trim(), roleId: roleId || fallback },
      {
        onSuccess: (member) => {
          toast(t('users.added', { name: member.user.name }));
          onClose();
        },
        onError: (error) => toast(error.message),
      },
    );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('users.inviteTitle')}
      action={t('users.makeInvite')}
      extra={
        known !== null &&
        known === email.trim() && (
          <Button onClick={addInstead} busy={add.isPending}>
            {t('users.addAnyway')}
          </Button>
        )
      }
    >
      <Field label={t('users.email')} error={form.errors.email}>
        <Input
          autoFocus
          type="email"
          value={email}
          onChange={(event) => form.set('email', event.target.value)}
        />
      </Field>
      <Field label={t('users.name')} optional error={form.errors.name}>
        <Input maxLength={100} value={name} onChange={(event) => form.set('name', event.target.value)} />
      </Field>
      <Field label={t('users.workspace')}>
        <Select
          value={workspaceId}
          disabled={workspaces.length < 2}
          onChange={(next) => form.set('workspaceId', next)}
          options={workspaces.map((one) => ({ value: one.id, label: one.name }))}
        />
      </Field>
      <Field label={t('users.role')} error={form.errors.roleId}>
        <Select
          value={roleId || fallback}
          onChange={(next) => form.set('roleId', next)}
          options={roles.map((role) => ({
            value: role.id,
            label: role.name,
            ...(role.description ? { description: role.description } : {}),
          }))}
        />
      </Field>
    </FormDialog>
  );
}
