import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Quota } from '../core/quota';
import { api } from './client';
import type { Schemas } from './models';
import { usePeopleChange } from './people';

export type Workspace = Schemas['Workspace'];

const key = ['workspaces'];

export const useWorkspaces = (enabled = true) =>
  useQuery({ queryKey: key, enabled, queryFn: () => api.get('/workspace') });

export const useCreateWorkspace = () =>
  usePeopleChange((body: { name: string; description: string }) => api.post('/workspace', { body }));

/** Shown at once, taken back when the service refuses. */
export function useChangeWorkspace() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { id: string; name: string; description: string }) => api.put('/workspace', { body }),
    onMutate: async (body) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<Workspace[]>(key);
      client.setQueryData<Workspace[]>(key, (rows) =>
        rows?.map((row) => (row.id === body.id ? { ...row, ...body } : row)),
      );
      return { before };
    },
    onError: (_error, _body, context) => client.setQueryData(key, context?.before),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['me'] });
      return client.invalidateQueries({ queryKey: key });
    },
  });
}

export const useSetQuota = () =>
  usePeopleChange((body: { id: string; quota: Quota | null }) => api.put('/workspace', { body }));

export const useDeleteWorkspace = () =>
  usePeopleChange(({ id }: { id: string }) => api.delete('/workspace/{id}', { path: { id } }));

export const useMembers = (workspaceId: string) =>
  useQuery({
    queryKey: ['members', workspaceId],
    queryFn: () => api.get('/workspaceuser', { query: { workspaceId } }),
  });

export interface MemberChange {
  workspaceId: string;
  userId: string;
  roleId: string;
}

export const useAddMember = () =>
  usePeopleChange((body: Omit<MemberChange, 'userId'> & ({ userId: string } | { email: string })) =>
    api.post('/workspaceuser', { body }),
  );

export const useChangeMember = () =>
  usePeopleChange((body: MemberChange) => api.put('/workspaceuser', { body }));

export const useRemoveMember = () =>
  usePeopleChange(({ workspaceId, userId }: Omit<MemberChange, 'roleId'>) =>
    api.delete('/workspaceuser', { query: { workspaceId, userId } }),
  );
