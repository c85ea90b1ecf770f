import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Schemas } from './models';

export type IncomingList = Schemas['IncomingList'];
export type IncomingEntry = Schemas['IncomingEntry'];
export type IncomingFlow = Schemas['IncomingFlow'];
export type IncomingVersion = Schemas['IncomingVersion'];
export type PromotionWarning = Schemas['PromotionWarning'];
export type PromoteResult = Schemas['PromoteResult'];

const keys = {
  list: [...cached.incoming, 'list'],
  one: (flow: string) => [...cached.incoming, 'one', flow],
};

/** How often it is looked for more: Prod reads the host every two minutes. */
const LOOK_MS = 30_000;

/** The flows of which Dev has a version that is not Live here. */
export const useIncoming = (enabled: boolean) =>
  useQuery({
    queryKey: keys.list,
    enabled,
    staleTime: 0,
    refetchInterval: LOOK_MS,
    queryFn: () => api.get('/flow-versions/incoming'),
  });

/** All that is to be known before a version is promoted. */
export const useIncomingFlow = (flow: string, enabled: boolean) =>
  useQuery({
    queryKey: keys.one(flow),
    enabled,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => api.get('/flow-versions/incoming/{id}', { path: { id: flow } }),
  });

/** Makes the version Live that was shown, if all of what was shown still is so. */
export function usePromote(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, digest }: Pick<IncomingFlow, 'version' | 'digest'>) =>
      api.post('/flow-versions/incoming/{id}/promote', {
        path: { id: flow },
        body: { sha: version.sha, digest },
      }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: cached.flows }),
        client.invalidateQueries({ queryKey: cached.draft(flow) }),
        client.invalidateQueries({ queryKey: ['versions', flow] }),
        client.invalidateQueries({ queryKey: keys.list }),
      ]),
    // Whatever was refused, what is shown may be old.
    onError: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: cached.incoming }),
        client.invalidateQueries({ queryKey: ['check', flow] }),
      ]),
  });
}
