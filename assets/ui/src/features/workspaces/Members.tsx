import { UserMinus, UserPlus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import type { Member } from '../../api/models';
import { usePeople } from '../../api/people';
import { leastRole, useRoles, type Role } from '../../api/roles';
import {
  useAddMember,
  useChangeMember,
  useMembers,
  useRemoveMember,
  type Workspace,
} from '../../api/workspaces';
import { t } from '../../i18n';
import { Banner, Button, Combobox, Drawer, Field, IconButton, Loaded, Select, toast } from '../../ui';
import css from './Workspaces.module.css';

/** Who is in a workspace, with which role. Changes count at once. */
export function Members({ workspace, onClose }: { workspace: Workspace; onClose: () => void }): ReactNode {
  const can = useCan();
  const members = useMembers(workspace.id);
  const roles = useRoles(can('roles:manage', 'users:manage', 'workspace:view', 'workspace:add-user'));
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Drawer
      open
      onClose={onClose}
      title={t('workspaces.membersOf', { name: workspace.name })}
      description={t('workspaces.membersText')}
      width={560}
    >
      {problem && (
        <Banner tone="danger" onClose={() => setProblem(null)}>
          {problem}
        </Banner>
      )}
      <Loaded query={members}>
        {(list) => (
          <>
            {can('workspace:add-user') && (
              <AddMember
                workspace={workspace}
                members={list}
                roles={roles.data ?? []}
                onProblem={setProblem}
              />
            )}
            {list.length === 0 ? (
              <p className="nothing">{t('workspaces.noMembers')}</p>
            ) : (
              <ul className="lines" aria-label={t('workspaces.members')}>
                {list.map((member) => (
                  <MemberRow
                    key={member.userId}
                    member={member}
                    roles={roles.data ?? []}
                    onProblem={setProblem}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

type OnProblem = (text: string | null) => void;

interface MemberRowProps {
  member: Member;
  roles: readonly Role[];
  onProblem: OnProblem;
}

function MemberRow({ member, roles, onProblem }: MemberRowProps): ReactNode {
  const can = useCan();
  const change = useChangeMember();
  const remove = useRemoveMember();
  const { workspaceId, userId, user, roleId: held, role } = member;
  const onError = (error: Error): void => onProblem(error.message);
  const options = roles
    .filter((one) => one.assignable || one.id === held)
    .map((one) => ({ value: one.id, label: one.name, disabled: !one.assignable }));
  return (
    <li className={css.member}>
      <span className={css.person}>
        <span className={css.personName}>{user.name}</span>
        <span className="note">{user.email}</span>
      </span>
      {can('workspace:add-user') && options.length > 0 ? (
        <Select
          className={css.role}
          aria-label={t('workspaces.roleOf', { name: user.name })}
          value={change.isPending ? change.variables.roleId : held}
          disabled={change.isPending}
          onChange={(roleId) => {
            onProblem(null);
            change.mutate({ workspaceId, userId, roleId }, { onError });
          }}
          options={options}
        />
      ) : (
        <span className={css.role}>{role?.name}</span>
      )}
      {can('workspace:unlink-user') && (
        <IconButton
          icon={UserMinus}
          label={t('workspaces.remove', { name: user.name })}
          busy={remove.isPending}
          onClick={() => {
            onProblem(null);
            remove.mutate(
              { workspaceId, userId },
              { onError, onSuccess: () => toast(t('workspaces.removed', { name: user.name })) },
            );
          }}
        />
      )}
    </li>
  );
}

interface AddMemberProps {
  workspace: Workspace;
  members: readonly Member[];
  roles: readonly Role[];
  onProblem: OnProblem;
}

function AddMember({ workspace, members, roles, onProblem }: AddMemberProps): ReactNode {
  const can = useCan();
  const add = useAddMember();
  const people = usePeople(true, workspace, can('users:manage'));
  const [email, setEmail] = useState('');
  const [roleId, setRoleId] = useState('');
  const free = (people.data ?? []).filter(
    (person) => !person.isOwner && !members.some((member) => member.userId === person.userId),
  );
  const assignable = roles.filter((role) => role.assignable);
  const chosen = roleId || leastRole(roles);
  return (
    <div className={css.add} role="group" aria-label={t('workspaces.addMember')}>
      <Field label={t('workspaces.addMember')} help={t('workspaces.memberHelp')} className={css.who}>
        <Combobox
          value={email}
          onChange={setEmail}
          allowOther
          placeholder={t('workspaces.noPerson')}
          options={free.map(({ user }) => ({ value: user.email, label: user.name, description: user.email }))}
        />
      </Field>
      <Field label={t('workspaces.role')}>
        <Select
          className={css.role}
          value={chosen}
          onChange={setRoleId}
          options={assignable.map((role) => ({ value: role.id, label: role.name }))}
        />
      </Field>
      <div className={css.addButton}>
        <Button
          icon={UserPlus}
          disabled={!email || !chosen}
          busy={add.isPending}
          onClick={() => {
            onProblem(null);
            add.mutate(
              { workspaceId: workspace.id, email: email.trim(), roleId: chosen },
              {
                onError: (error) => onProblem(error.message),
                onSuccess: (member) => {
                  setEmail('');
                  toast(t('workspaces.added', { name: member.user.name }));
                },
              },
            );
          }}
        >
          {t('workspaces.add')}
        </Button>
      </div>
    </div>
  );
}
