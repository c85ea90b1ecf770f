import { UsersRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan, useMe } from '../../api/me';
import { useInvitations, usePeople, type Person } from '../../api/people';
import { t } from '../../i18n';
import { ListPage, Select, useAddress } from '../../ui';
import { InviteDialog } from './InviteDialog';
import { Invitations } from './Invitations';
import { LinkOnce } from './LinkOnce';
import { ManagePerson } from './ManagePerson';
import { PeopleTable } from './PeopleTable';
import { RemovePerson } from './RemovePerson';
import { SessionsDialog } from './SessionsDialog';
import type { OpenDialog } from './dialogs';
import css from './Users.module.css';
import './words';

const none = { id: '', name: '' };

/** People: who may sign in, and with which roles. */
export default function UsersPage(): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const manages = can('users:manage');
  const maySee = can('users:manage', 'workspace:view', 'workspace:add-user', 'workspace:unlink-user');
  const mayInvite = can('users:manage', 'workspace:add-user');
  const here = me ? { id: me.activeWorkspaceId, name: me.activeWorkspace ?? '' } : none;
  const people = usePeople(manages, here, maySee);
  const invitations = useInvitations(mayInvite);
  const { read, put } = useAddress();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = (): void => setOpen(null);
  const state = read('state');
  const workspace = read('workspace');
  const workspaces = [
    ...new Map(
      (people.data ?? []).flatMap((person) => person.workspaces.map((one) => [one.id, one.name] as const)),
    ),
  ];
  const inState = (person: Person): boolean =>
    !state || (state === 'asked' ? person.resetRequestedDate !== null : person.status === state);
  // What is open shows the newest data.
  const current = (person: Person): Person =>
    people.data?.find((one) => one.userId === person.userId) ?? person;
  return (
    <>
      <ListPage
        title={t('users.title')}
        description={t('users.description')}
        icon={UsersRound}
        query={people}
        missing={!maySee && 'users:manage'}
        create={mayInvite && { label: t('users.invite'), onClick: () => setOpen({ dialog: 'invite' }) }}
        viewOnly={!mayInvite && t('users.viewOnly', { permission: 'workspace:add-user' })}
        empty={{ title: t('users.empty'), text: t('users.emptyText') }}
        search={{
          label: t('users.search'),
          words: ({ user, workspaces: in_ }) => [
            user.name,
            user.email,
            ...in_.flatMap((one) => [one.name, one.role]),
          ],
        }}
        filters={{
          names: ['state', 'workspace'],
          pass: (person) =>
            inState(person) &&
            (!workspace || person.isOwner || person.workspaces.some((one) => one.id === workspace)),
          tools: (
            <>
              <Select
                className={css.filter}
                aria-label={t('users.state')}
                value={state}
                onChange={(next) => put({ state: next })}
                options={[
                  { value: '', label: t('users.allStates') },
                  { value: 'active', label: t('users.active') },
                  { value: 'disabled', label: t('users.disabled') },
                  ...(me?.isOrganizationAdmin ? [{ value: 'asked', label: t('users.asked') }] : []),
                ]}
              />
              {(workspaces.length > 1 || workspace) && (
                <Select
                  className={css.filter}
                  aria-label={t('users.workspace')}
                  value={workspace}
                  onChange={(next) => put({ workspace: next })}
                  options={[
                    { value: '', label: t('users.allWorkspaces') },
                    ...workspaces.map(([value, label]) => ({ value, label })),
                  ]}
                />
              )}
            </>
          ),
        }}
        found={(count) => t('users.found', { count })}
        below={
          invitations.data &&
          invitations.data.length > 0 && <Invitations rows={invitations.data} onOpen={setOpen} />
        }
      >
        {(rows) => <PeopleTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'invite' && (
        <InviteDialog
          first={open.first}
          onClose={close}
          onMade={(link) => setOpen({ dialog: 'link', link })}
        />
      )}
      {open?.dialog === 'link' && <LinkOnce link={open.link} onDone={close} />}
      {open?.dialog === 'manage' && <ManagePerson person={current(open.person)} onClose={close} />}
      {open?.dialog === 'sessions' && <SessionsDialog person={open.person} onClose={close} />}
      {open?.dialog === 'remove' && <RemovePerson person={open.person} onClose={close} />}
    </>
  );
}
