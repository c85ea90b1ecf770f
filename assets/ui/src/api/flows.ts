import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, part } from './client';
import { cached } from './keys';
import type { Deleted, DraftStatus, Flow, FlowSummary, Schemas } from './models';

export const useFlows = () =>
  useQuery({
    queryKey: cached.flows,
    queryFn: () => api.get<FlowSummary[]>('/chatflows', { fields: 'summary' }),
  });

export const readFlow = (id: string) => api.get<Flow>(`/chatflows/${part(id)}`);

export const useFlow = (id: string) => useQuery({ queryKey: cached.flow(id), queryFn: () => readFlow(id) });

export const readDraft = (id: string) => api.get<DraftStatus>(`/flow-drafts/${part(id)}`);

export const useDraft = (id: string) =>
  useQuery({ queryKey: cached.draft(id), queryFn: () => readDraft(id) });

export type NewFlow = Schemas['NewFlow'];

export function useCreateFlow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (flow: NewFlow) => api.post<Flow>('/chatflows', flow),
    onSuccess: () => client.invalidateQueries({ queryKey: cached.flows, exact: true }),
  });
}

export type FlowChange = Partial<
  Pick<Flow, 'name' | 'category' | 'flowData' | 'chatbotConfig' | 'apiConfig' | 'apikeyid'>
>;

/** Renames and the like: shown at once, taken back when the service refuses. */
export function useChangeFlow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...change }: FlowChange & { id: string }) =>
      api.put<Flow>(`/chatflows/${part(id)}`, change),
    onMutate: async ({ id, ...change }) => {
      await client.cancelQueries({ queryKey: cached.flows });
      const before = client.getQueryData<FlowSummary[]>(cached.flows);
      client.setQueryData<FlowSummary[]>(cached.flows, (list) =>
        list?.map((flow) => (flow.id === id ? { ...flow, ...change } : flow)),
      );
      return { before };
    },
    onError: (_error, _change, context) => client.setQueryData(cached.flows, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: cached.flows }),
  });
}

export function useDeleteFlow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete<Deleted>(`/chatflows/${part(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: cached.flows, exact: true }),
  });
}
