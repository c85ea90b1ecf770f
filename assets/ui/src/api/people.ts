import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import { useCan, useMe } from './me';
import type { Member, Schemas } from './models';

export type Membership = Person['workspaces'][number];

/** Members of a workspace are shown as people too; they have no role beyond it. */
export type Person = Omit<Schemas['Person'], 'organizationId' | 'roleId'>;

export type OnceLink = Schemas['Link'];

export type Invitation = Schemas['Invitation'];

const people = ['people'];
const invitations = ['invitations'];

/** Everybody the person may see: the whole list for those who manage users, else the active workspace. */
export const usePeople = (manages: boolean, workspace: { id: string; name: string }, enabled = true) =>
  useQuery({
    queryKey: [...people, manages ? 'all' : workspace.id],
    enabled,
    queryFn: async () => {
      if (manages) return api.get('/organizationuser');
      const members = await api.get('/workspaceuser');
      return members.map((member) => personOf(member, workspace));
    },
  });

/** What a person is called, for those who may see people; null while that is not known. */
export function useNameOf(userId: string | null): string | null {
  const can = useCan();
  const me = useMe().data;
  const workspace = { id: me?.activeWorkspaceId ?? '', name: me?.activeWorkspace ?? '' };
  const may = can('users:manage', 'workspace:view');
  const people = usePeople(can('users:manage'), workspace, may && userId !== null).data;
  return people?.find((one) => one.userId === userId)?.user.name ?? null;
}

function personOf(member: Member, workspace: { id: string; name: string }): Person {
  const { userId, isOwner, status, lastLogin, createdDate, user, roleId, role } = member;
  return {
    userId,
    isOwner,
    status,
    lastLogin,
    createdDate,
    user,
    workspaces: [{ ...workspace, roleId, role: role?.name ?? '' }],
    resetRequestedDate: null,
    sessions: null,
  };
}

/** Something about people changed: lists that show them are read anew. */
export function usePeopleChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    // What is shown stays as it was chosen until the lists are there.
    onSettled: () =>
      Promise.all(
        [people, invitations, ['members'], ['roles'], ['workspaces'], ['me']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const useInvitations = (enabled: boolean) =>
  useQuery({
    queryKey: invitations,
    enabled,
    queryFn: () => api.get('/account/invite'),
  });

export type NewInvitation = Schemas['NewInvitation'];

export const useInvite = () =>
  usePeopleChange((body: NewInvitation) => api.post('/account/invite', { body }));

export const useRemoveInvitation = () =>
  usePeopleChange((id: string) => api.delete('/account/invite/{id}', { path: { id } }));

export const useResetLink = () =>
  usePeopleChange((id: string) => api.post('/user/{id}/reset-link', { path: { id } }));

export const useSetStatus = () =>
  usePeopleChange((body: { userId: string; status: Person['status'] }) =>
    api.put('/organizationuser', { body }),
  );

export const useRemovePerson = () =>
  usePeopleChange((userId: string) => api.delete('/organizationuser', { query: { userId } }));

export const usePersonSessions = (id: string) =>
  useQuery({
    queryKey: [...people, 'sessions', id],
    queryFn: () => api.get('/user/{id}/sessions', { path: { id } }),
  });

export const useEndPersonSessions = () =>
  usePeopleChange((id: string) => api.delete('/user/{id}/sessions', { path: { id } }));
