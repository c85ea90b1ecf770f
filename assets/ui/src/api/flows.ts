import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Flow, FlowSummary, Schemas } from './models';

/** The description says of this list only that it holds flows of one of three shapes. */
const isSummary = (flow: object): flow is FlowSummary => 'state' in flow;

export const useFlows = () =>
  useQuery({
    queryKey: cached.flows,
    queryFn: async () => (await api.get('/chatflows', { query: { fields: 'summary' } })).filter(isSummary),
  });

export const readFlow = (id: string) => api.get('/chatflows/{id}', { path: { id } });

export const useFlow = (id: string) => useQuery({ queryKey: cached.flow(id), queryFn: () => readFlow(id) });

export const readDraft = (id: string) => api.get('/flow-drafts/{id}', { path: { id } });

export const useDraft = (id: string) =>
  useQuery({ queryKey: cached.draft(id), queryFn: () => readDraft(id) });

/** By which names the harnesses of the workspace are asked. */
export const readHarnessNames = async (): Promise<string[]> =>
  (await api.get('/harnesses')).map(({ name }) => name);

const keptQuestions = '/flow-drafts/{id}/check/questions';

/** Gives a copy of a flow the questions that are kept for its checks. What people asked stays with their conversations. */
export async function copyKeptQuestions(from: string, to: string): Promise<void> {
  const kept = await api.get(keptQuestions, { path: { id: from } });
  const own = kept.filter((question) => question.from !== 'person');
  const body = own.map(({ text, expect, from: origin }) => ({ text, expect, from: origin }));
  if (body.length > 0) await api.put(keptQuestions, { path: { id: to }, body });
}

export type NewFlow = Schemas['NewFlow'];

export function useCreateFlow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (flow: NewFlow) => api.post('/chatflows', { body: flow }),
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
      api.put('/chatflows/{id}', { path: { id }, body: change }),
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
    mutationFn: (id: string) => api.delete('/chatflows/{id}', { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: cached.flows, exact: true }),
  });
}
