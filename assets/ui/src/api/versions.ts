import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Flow, Schemas } from './models';

export type VersionKind = Version['kind'];

/** One entry of a flow's history. */
export type Version = Schemas['Version'];

export type VersionList = Schemas['VersionList'];

/** What must be put right in a version before it runs. */
export type VersionNotes = Pick<
  VersionCanvas,
  'missingCredentials' | 'ambiguousCredentials' | 'hiddenSecrets'
>;

export type VersionCanvas = Schemas['VersionContent'];

export type VersionDiff = Schemas['VersionDiff'];

export type BriefFlow = Schemas['FlowBrief'];

export type PublishResult = Schemas['PublishResult'];

export type RestoreResult = Schemas['RestoreResult'];

const keys = {
  all: (flow: string) => ['versions', flow],
  list: (flow: string) => ['versions', flow, 'list'],
  one: (flow: string, sha: string) => ['versions', flow, 'one', sha],
  diff: (flow: string, sha: string, against: string) => ['versions', flow, 'diff', sha, against],
  draft: (flow: string, live: string, updated: string) => ['versions', flow, 'draft', live, updated],
  restored: (flow: string) => ['restored', flow],
};

export const useVersions = (flow: string) =>
  useQuery({
    queryKey: keys.list(flow),
    queryFn: () => api.get('/flow-versions/{id}', { path: { id: flow } }),
  });

export const useVersion = (flow: string, sha: string | null) =>
  useQuery({
    queryKey: keys.one(flow, sha ?? ''),
    enabled: sha !== null,
    queryFn: () => api.get('/flow-versions/{id}/{sha}', { path: { id: flow, sha: sha ?? '' } }),
  });

/**
 * What Publish would change, in the words of the service. `updated` says which draft is meant; of another Live, or another
 * draft, it is asked anew.
 */
export const useDraftChanges = ({ id, updatedDate }: Flow, updated: string | null) =>
  useQuery({
    queryKey: keys.draft(id, updatedDate, updated ?? ''),
    enabled: updated !== null,
    queryFn: () => api.get('/flow-drafts/{id}/changes', { path: { id } }),
  });

export const useVersionDiff = (flow: string, sha: string | null, against: string | null) =>
  useQuery({
    queryKey: keys.diff(flow, sha ?? '', against ?? ''),
    enabled: sha !== null && against !== null,
    queryFn: () =>
      api.get('/flow-versions/{id}/{sha}/diff', {
        path: { id: flow, sha: sha ?? '' },
        query: { against: against ?? '' },
      }),
  });

/** Reads anew what a change of Live or of the draft touches. */
async function changed(client: QueryClient, flow: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: cached.draft(flow) }),
    client.invalidateQueries({ queryKey: cached.schedule(flow) }),
    client.invalidateQueries({ queryKey: cached.flows }),
    client.invalidateQueries({ queryKey: keys.all(flow) }),
  ]);
}

export interface Publishing {
  /** The `updatedDate` of the draft that is meant; 409 when it is another one by now. */
  seen: string;
  /** Changes of Live since the draft was started are lost. */
  replace: boolean;
}

export function usePublish(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ seen, replace }: Publishing) =>
      api.post('/flow-drafts/{id}/publish', {
        path: { id: flow },
        body: replace ? { overwriteLiveChanges: true } : {},
        headers: { 'if-match': `"${seen}"` },
      }),
    onSettled: () => changed(client, flow),
  });
}

export function useDiscardDraft(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/flow-drafts/{id}', { path: { id: flow } }),
    onSuccess: (status) => {
      client.setQueryData(cached.draft(flow), status);
      client.removeQueries({ queryKey: keys.restored(flow) });
    },
    onSettled: () => changed(client, flow),
  });
}

export type PutBack = 'restore' | 'rollback';

/** Restores a version (to the draft, or to Live where there are no drafts), or rolls Live back to it. */
export function usePutBack(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ sha, how }: { sha: string; how: PutBack }) =>
      how === 'restore'
        ? api.post('/flow-versions/{id}/{sha}/restore', { path: { id: flow, sha } })
        : api.post('/flow-drafts/{id}/rollback', { path: { id: flow }, body: { sha } }),
    onSuccess: (restored) => client.setQueryData(keys.restored(flow), restored),
    onSettled: () => changed(client, flow),
  });
}

/** The last restore or roll back of a flow in this tab, until it is dismissed. */
export function useRestored(flow: string): [RestoreResult | null, () => void] {
  const client = useQueryClient();
  const { data } = useQuery<RestoreResult | null>({
    queryKey: keys.restored(flow),
    queryFn: () => null,
    enabled: false,
    gcTime: Infinity,
    initialData: null,
  });
  return [data ?? null, () => client.setQueryData(keys.restored(flow), null)];
}
