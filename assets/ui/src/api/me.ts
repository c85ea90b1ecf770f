import {
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { forgetAllLocal } from '../core/localCopy';
import { holdsEdits, letGoOfAll } from '../core/unsaved';
import { api, ApiError, sessionEnded } from './client';
import { cached } from './keys';
import type { Me } from './models';

/** What the answers the page holds belong to: a person in a workspace. */
export const scopeOf = (me: Me | null | undefined): string =>
  me ? `${me.id} ${me.activeWorkspaceId}` : nobody;

export const nobody = 'nobody';

/** Whose the page is at this moment: what is on screen may be of the one before for a little longer. */
export const scopeNow = (client: QueryClient): string => scopeOf(client.getQueryData<Me | null>(cached.me));

/** Drops the answers that were given to somebody else, or in another workspace. */
function forgetOthers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== cached.me[0] });
}

/**
 * From now on the page is this person's in this workspace. The query of `me` itself stays: what is on screen watches
 * it, and is drawn anew because of it.
 */
export async function become(client: QueryClient, me: Me | null): Promise<void> {
  await client.cancelQueries();
  client.setQueryData(cached.me, me);
  letGoOfAll();
  forgetOthers(client);
}

/** The signed-in person; `null` when nobody is. */
export function useMe(): UseQueryResult<Me | null> {
  return useQuery({
    queryKey: cached.me,
    staleTime: 60_000,
    queryFn: async ({ client }) => {
      try {
        const me = await api.get('/auth/me', { quiet: true });
        // Another tab may have changed the workspace.
        if (scopeOf(me) !== scopeNow(client)) forgetOthers(client);
        return me;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
        const before = client.getQueryData<Me | null>(cached.me);
        if (!before || !holdsEdits()) return null;
        sessionEnded();
        return before;
      }
    },
  });
}

/** Whether the person holds one of these permissions in the active workspace. The owner holds all. */
export function useCan(): (...anyOf: string[]) => boolean {
  const me = useMe().data;
  return (...anyOf) =>
    Boolean(me && (me.isOrganizationAdmin || anyOf.some((one) => me.permissions.includes(one))));
}

/** For what may be done with the records of a resource, the permission that the person lacks for it. */
export function useMissingPermissions(resource: string) {
  const can = useCan();
  const lacked = (action: string, ...more: string[]): string | null => {
    const permission = `${resource}:${action}`;
    return can(permission, ...more) ? null : permission;
  };
  return {
    view: lacked('view'),
    create: lacked('create'),
    update: lacked('update', `${resource}:create`),
    delete: lacked('delete'),
  };
}

/** Whether the service still waits for its first owner. */
export function useNeedsOwner(enabled: boolean): UseQueryResult<boolean> {
  return useQuery({
    queryKey: cached.start,
    enabled,
    queryFn: async () => {
      try {
        const { redirectUrl } = await api.post('/auth/resolve', { body: {}, quiet: true });
        return redirectUrl === '/organization-setup';
      } catch (error) {
        if (error instanceof ApiError && [401, 404].includes(error.status)) return false;
        throw error;
      }
    },
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => api.post('/auth/login', { body, quiet: true }),
    onSuccess: (me) => become(client, me),
  });
}

/** Signs in over a page that stays. True when it is still that person's, in the workspace that it is of. */
export function useSignInAgain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { email: string; password: string }): Promise<boolean> => {
      const before = client.getQueryData<Me | null>(cached.me);
      const me = await backIn(before, await api.post('/auth/login', { body, quiet: true }));
      if (scopeOf(me) !== scopeOf(before)) {
        await become(client, me);
        return false;
      }
      client.setQueryData(cached.me, me);
      return true;
    },
  });
}

/** Who signs in begins in a workspace of the service's choice: the same person goes on in the one of before. */
async function backIn(before: Me | null | undefined, me: Me): Promise<Me> {
  if (!before || me.id !== before.id || scopeOf(me) === scopeOf(before)) return me;
  if (!me.assignedWorkspaces.some(({ id }) => id === before.activeWorkspaceId)) return me;
  try {
    return await api.post('/workspace/switch', { query: { id: before.activeWorkspaceId }, quiet: true });
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return me;
    throw error;
  }
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post('/account/logout'),
    onSuccess: async () => {
      await become(client, null);
      // Not before: what is still drawn on keeps its edits until the page is nobody's.
      forgetAllLocal();
    },
  });
}

export interface NewOwner {
  user: { name: string; email: string; credential: string };
  setupToken?: string;
}

/** Makes the first owner, then signs them in. */
export const registerOwner = (body: NewOwner) => api.post('/account/register', { body, quiet: true });

export const readLink = (token: string) =>
  api.post('/account/verify', { body: { user: { tempToken: token } }, quiet: true });

export const acceptInvitation = (user: { name: string; credential: string; tempToken: string }) =>
  api.post('/account/register', { body: { user }, quiet: true });

export const askForReset = (email: string) =>
  api.post('/account/forgot-password', { body: { user: { email } }, quiet: true });

export const resetPassword = (user: { tempToken: string; password: string }) =>
  api.post('/account/reset-password', { body: { user }, quiet: true });

export interface ProfileChange {
  name?: string;
  email?: string;
  currentPassword?: string;
  newPassword?: string;
}

export function useChangeProfile() {
  const client = useQueryClient();
  return useMutation({
    // A wrong current password is a 401 that does not end the session.
    mutationFn: (body: ProfileChange) => api.put('/user', { body, quiet: true }),
    onSuccess: () => client.invalidateQueries({ queryKey: cached.me }),
  });
}

export function useSwitchWorkspace() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.post('/workspace/switch', { query: { id } }),
    onSuccess: (me) => become(client, me),
  });
}

export const useSessions = () =>
  useQuery({ queryKey: cached.sessions, queryFn: () => api.get('/account/sessions') });

/** Ends one session, or all others. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string | null) =>
      id === null ? api.delete('/account/sessions') : api.delete('/account/sessions/{id}', { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: cached.sessions }),
  });
}
