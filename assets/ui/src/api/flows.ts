import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, part } from './client';
import { cached } from './keys';
import type { Deleted, DraftStatus, Flow, FlowSummary, FlowType } from './models';

export const useFlows = () => useQuery({ queryKey: cached.flows, queryFn: listFlows });

async function listFlows(): Promise<FlowSummary[]> {
  const flows = await api.get<FlowSummary[]>('/chatflows', { fields: 'summary' });
  return Promise.all(flows.map(withState));
}

/** Services that do not tell the state in the list are asked for it flow by flow. */
async function withState(flow: FlowSummary): Promise<FlowSummary> {
  if (flow.state || flow.flowData === undefined) return flow;
  const { flowData, ...summary } = flow;
  const status = await readDraft(flow.id).catch(() => null);
  if (!status) return summary;
  const { mode, reason, draft, lastPublished } = status;
  return {
    ...summary,
    state: { mode, reason, draft, lastPublished, hasLive: /"nodes"\s*:\s*\[\s*\{/.test(flowData) },
  };
}

export const readFlow = (id: string) => api.get<Flow>(`/chatflows/${part(id)}`);

export const useFlow = (id: string) => useQuery({ queryKey: cached.flow(id), queryFn: () => readFlow(id) });

export const readDraft = (id: string) => api.get<DraftStatus>(`/flow-drafts/${part(id)}`);

export const useDraft = (id: string) =>
  useQuery({ queryKey: cached.draft(id), queryFn: () => readDraft(id) });

export interface NewFlow {
  name: string;
  type: FlowType;
  flowData?: string;
  category?: string | null;
  chatbotConfig?: string;
  apiConfig?: string;
  publishInstantly?: boolean;
}

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
