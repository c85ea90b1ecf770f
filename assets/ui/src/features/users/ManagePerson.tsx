import { Plus, UserMinus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan, useMe } from '../../api/me';
import type { Membership, Person } from '../../api/people';
import { leastRole, useRoles, type Role } from '../../api/roles';
import { useAddMember, useChangeMember, useRemoveMember, useWorkspaces } from '../../api/workspaces';
import { t } from '../../i18n';
import { Banner, Button, Drawer, Field, IconButton, Select, toast } from '../../ui';
import css from './Users.module.css';

/** The workspaces of a person and the role in each. Changes count at once. */
export function ManagePerson({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const can = useCan();
  const roles =
    useRoles(can('roles:manage', 'users:manage', 'workspace:view', 'workspace:add-user')).data ?? [];
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Drawer
      open
      onClose={onClose}
      title={t('users.manageOf', { name: person.user.name })}
      description={person.user.email}
      width={520}
    >
      {problem && (
        <Banner tone="danger" onClose={() => setProblem(null)}>
          {problem}
        </Banner>
      )}
      {person.workspaces.length === 0 && <p className="nothing">{t('users.noRole')}</p>}
      {person.workspaces.map((membership) => (
        <Row
          key={membership.id}
          person={person}
          membership={membership}
          roles={roles}
          onProblem={setProblem}
        />
      ))}
      {can('workspace:add-user') && <AddTo person={person} roles={roles} onProblem={setProblem} />}
    </Drawer>
  );
}

type OnProblem = (text: string | null) => void;

interface RowProps {
  person: Person;
  membership: Membership;
  roles: readonly Role[];
  onProblem: OnProblem;
}

function Row({ person, membership, roles, onProblem }: RowProps): ReactNode {
  const can = useCan();
  const change = useChangeMember();
  const remove = useRemoveMember();
  const { userId, user } = person;
  const workspaceId = membership.id;
  const onError = (error: Error): void => onProblem(error.message);
  const options = roles
    .filter((role) => role.assignable || role.id === membership.roleId)
    .map((role) => ({ value: role.id, label: role.name, disabled: !role.assignable }));
  return (
    <div className={css.membership}>
      <span className={css.workspace}>{membership.name}</span>
      {can('workspace:add-user') && options.length > 0 ? (
        <Select
          className={css.role}
          aria-label={t('users.roleIn', { workspace: membership.name })}
          value={change.isPending ? change.variables.roleId : membership.roleId}
          disabled={change.isPending}
          onChange={(roleId) => {
            onProblem(null);
            change.mutate({ workspaceId, userId, roleId }, { onError });
          }}
          options={options}
        />
      ) : (
        <span className={css.role}>{membership.role}</span>
      )}
      {can('workspace:unlink-user') && (
        <IconButton
          icon={UserMinus}
          label={t('users.removeFrom', { workspace: membership.name })}
          busy={remove.isPending}
          onClick={() => {
            onProblem(null);
            remove.mutate(
              { workspaceId, userId },
              {
                onError,
                onSuccess: () =>
                  toast(t('users.removedFrom', { name: user.name, workspace: membership.name })),
              },
            );
          }}
        />
      )}
    </div>
  );
}

interface AddToProps {
  person: Person;
  roles: readonly Role[];
  onProblem: OnProblem;
}

function AddTo({ person, roles, onProblem }: AddToProps): ReactNode {
  const me = useMe().data;
  const add = useAddMember();
  const workspaces = useWorkspaces().data ?? [];
  const [workspaceId, setWorkspaceId] = useState('');
  const [roleId, setRoleId] = useState('');
  const free = workspaces.filter(
    (one) =>
      (me?.isOrganizationAdmin || one.isActive) && !person.workspaces.some((known) => known.id === one.id),
  );
  const assignable = roles.filter((role) => role.assignable);
  const role = roleId || leastRole(roles);
  const workspace = free.some((one) => one.id === workspaceId) ? workspaceId : (free[0]?.id ?? '');
  if (free.length === 0) return null;
  return (
    <div className={css.addTo} role="group" aria-label={t('users.addTo')}>
      <Field label={t('users.addTo')}>
        <Select
          value={workspace}
          onChange={setWorkspaceId}
          options={free.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field label={t('users.role')}>
        <Select
          value={role}
          onChange={setRoleId}
          options={assignable.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Button
        className={css.addButton}
        icon={Plus}
        disabled={!workspace || !role}
        busy={add.isPending}
        onClick={() => {
          onProblem(null);
          add.mutate(
            { workspaceId: workspace, userId: person.userId, roleId: role },
            { onError: (error) => onProblem(error.message) },
          );
        }}
      >
        {t('users.add')}
      </Button>
    </div>
  );
}
