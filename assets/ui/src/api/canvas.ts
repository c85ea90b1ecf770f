import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { DraftStatus, Flow, Schemas } from './models';

/** One thing that keeps a canvas from working. */
export type CardProblem = Schemas['CardProblems'];

/** What the service says about the draft, or Live without one; `updated` makes a new save a new question. */
export const useProblems = (id: string, updated: string) =>
  useQuery({
    queryKey: [...cached.problems(id), updated],
    queryFn: () => api.get('/validation/{id}', { path: { id }, query: { source: 'draft' } }),
    placeholderData: keepPreviousData,
  });

/** What the service says of a canvas that is stored nowhere yet. */
export const judgeCanvas = (id: string, flowData: string, signal: AbortSignal) =>
  api.post('/validation/{id}', { path: { id }, body: { flowData }, signal });

/** The canvas that the service holds at this moment, read anew. */
export const useStored = (id: string) =>
  useQuery({
    queryKey: ['stored', id],
    staleTime: 0,
    gcTime: 0,
    queryFn: async () => {
      const { draft } = await api.get('/flow-drafts/{id}', { path: { id } });
      return draft?.flowData ?? (await api.get('/chatflows/{id}', { path: { id } })).flowData;
    },
  });

/** Saves the draft that was read as `base` (its `updatedDate`, or `none`); 409 when it is another one by now. */
export const saveDraft = (id: string, flowData: string, base: string) =>
  api.put('/flow-drafts/{id}', { path: { id }, body: { flowData }, headers: { 'if-match': `"${base}"` } });

/** Saves Live while the flow is the one of this `updatedDate`; 409 when it was changed meanwhile. */
export const saveLive = (id: string, flowData: string, seen: string) =>
  api.put('/chatflows/{id}', { path: { id }, body: { flowData }, headers: { 'if-match': `"${seen}"` } });

/** Puts what the service answered where the page reads it. */
export async function keepStatus(client: QueryClient, id: string, status: DraftStatus): Promise<void> {
  // An answer on its way is older.
  await client.cancelQueries({ queryKey: cached.draft(id) });
  client.setQueryData(cached.draft(id), status);
  // What is drawn may set other times.
  void client.invalidateQueries({ queryKey: cached.schedule(id) });
  void client.invalidateQueries({ queryKey: cached.flows, exact: true });
}

export async function keepFlow(client: QueryClient, flow: Flow): Promise<void> {
  await client.cancelQueries({ queryKey: cached.flow(flow.id) });
  client.setQueryData(cached.flow(flow.id), flow);
  void client.invalidateQueries({ queryKey: cached.flows, exact: true });
  void client.invalidateQueries({ queryKey: cached.draft(flow.id) });
  void client.invalidateQueries({ queryKey: cached.schedule(flow.id) });
}

/** Has the page read a flow and its draft once more. */
export function askAnew(client: QueryClient, id: string): void {
  void client.invalidateQueries({ queryKey: cached.draft(id) });
  void client.invalidateQueries({ queryKey: cached.flow(id) });
}

export const useClient = useQueryClient;
