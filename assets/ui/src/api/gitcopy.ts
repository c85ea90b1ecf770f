import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from './client';
import type { Environment } from './environment';
import { cached } from './keys';
import type { Schemas } from './models';

export type CopyStatus = Schemas['CopyStatus'];
export type CopyState = Schemas['CopyState'];
export type HostRepository = Schemas['HostRepository'];
export type RepositoryList = Schemas['RepositoryList'];
/** A token, as text or as a credential that holds one. */
export type HostToken = { token: string } | { credentialId: string };

const key = ['gitCopy'];

/** How often the status is read: what moves by itself is followed. */
const PAUSES: Record<CopyState, number> = {
  copying: 1000,
  waiting: 1500,
  retrying: 5000,
  'up-to-date': 15_000,
  stopped: 15_000,
  'not-connected': 60_000,
  off: 60_000,
};

/** How the copy stands. Only the owner is told. */
export const useCopyStatus = (enabled = true) =>
  useQuery({
    queryKey: key,
    enabled,
    staleTime: 0,
    queryFn: () => api.get('/flow-versions/github'),
    refetchInterval: ({ state }) => (state.data ? PAUSES[state.data.state] : false),
  });

/** Every change answers with the status, which everything that depends on it follows. */
async function follow(client: QueryClient, status: CopyStatus): Promise<void> {
  client.setQueryData(key, status);
  await Promise.all([
    client.invalidateQueries({ queryKey: cached.settings }),
    client.invalidateQueries({ queryKey: cached.incoming }),
  ]);
}

/** What a mutation that changes the copy does afterwards. */
const following = (client: QueryClient) => ({
  onSuccess: (status: CopyStatus) => follow(client, status),
  onError: () => client.invalidateQueries({ queryKey: key }),
});

export interface Connection {
  repo: string;
  access: HostToken;
  /** What the credential made of a token is called; empty for the name that the service gives. */
  credentialName: string;
  environment: Environment | null;
}

/**
 * Connects a repository, and before that labels the server: its label says whether the repository is written or read, and stays
 * as it is while one is connected.
 */
export function useConnect(labelled: Environment | null) {
  const client = useQueryClient();
  return useMutation({
    // The token stays in no cache.
    gcTime: 0,
    mutationFn: async ({ repo, access, credentialName, environment }: Connection) => {
      if (environment !== labelled) await api.put('/flow-versions/environment', { body: { environment } });
      const named = 'token' in access && credentialName !== '' ? { credentialName } : {};
      return api.put('/flow-versions/github', { body: { repo, ...access, ...named } });
    },
    onSuccess: async (status) => {
      await follow(client, status);
      await client.invalidateQueries({ queryKey: ['credentials'] });
    },
    onError: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: cached.settings }),
      ]),
  });
}

export const useDisconnect = () =>
  useMutation({
    mutationFn: () => api.delete('/flow-versions/github'),
    ...following(useQueryClient()),
  });

/** Copies, or on Prod reads, at once; it answers when that is done. */
export const useCopyNow = () =>
  useMutation({
    mutationFn: () => api.post('/flow-versions/github/push'),
    ...following(useQueryClient()),
  });

export const useLabelServer = () =>
  useMutation({
    mutationFn: (environment: Environment | null) =>
      api.put('/flow-versions/environment', { body: { environment } }),
    ...following(useQueryClient()),
  });

/** The repositories that a token reaches. Nothing is kept of it. */
export const useRepositories = () =>
  useMutation({
    gcTime: 0,
    mutationFn: (body: HostToken) => api.post('/flow-versions/github/repos', { body }),
  });

export const useCreateRepository = () =>
  useMutation({
    gcTime: 0,
    mutationFn: ({ name, access }: { name: string; access: HostToken }) =>
      api.post('/flow-versions/github/repos/new', { body: { name, ...access } }),
  });
