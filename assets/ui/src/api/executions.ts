import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { api, fetchRaw } from './client';
import type { Schemas } from './models';

/** The record of a run of an agentflow. */
export type Execution = Schemas['Execution'];
export type PublicExecution = Schemas['PublicExecution'];

export interface ExecutionQuery {
  page: number;
  limit: number;
  state?: Execution['state'];
  agentflowId?: string;
  sessionId?: string;
  startDate?: string;
  endDate?: string;
}

const all = ['executions'] as const;
const one = (id: string) => [...all, id] as const;

/** How often a list is asked for again while it has runs that go on. */
const LIST_MS = 5000;
/** How often a run that cannot be followed is asked for. */
const RECORD_MS = 3000;

/** A page of records, the one that changed last first. */
export const useExecutions = (query: ExecutionQuery, enabled: boolean) =>
  useQuery({
    queryKey: [...all, 'list', query],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/executions', { query }),
    refetchInterval: ({ state }) =>
      state.data?.data.some((row) => row.state === 'INPROGRESS') ? LIST_MS : false,
  });

/** One record. */
export const useExecution = (id: string, enabled: boolean) => useQuery({ ...recordQuery(id), enabled });

/** Asks for a record again and again, while that is said. */
export const useExecutionPolled = (id: string, polled: boolean) =>
  useQuery({ ...recordQuery(id), enabled: polled, refetchInterval: RECORD_MS });

const recordQuery = (id: string) =>
  queryOptions({
    queryKey: one(id),
    retry: false,
    queryFn: () => api.get('/executions/{id}', { path: { id } }),
  });

/** Reads a record anew; once it is over, the lists that tell of it too. */
export const rereadExecution = (client: QueryClient, id: string, isOver: boolean): Promise<void> =>
  client.invalidateQueries({ queryKey: isOver ? all : one(id) });

export const useSharedExecution = (id: string) =>
  useQuery({
    queryKey: ['sharedExecution', id],
    retry: false,
    queryFn: () => api.get('/public-executions/{id}', { path: { id }, quiet: true }),
    // Only who is signed in can follow a run as it goes.
    refetchInterval: ({ state }) => (state.data?.state === 'INPROGRESS' ? LIST_MS : false),
  });

/** What a run does, as it does it. */
export const followExecution = (id: string, signal: AbortSignal): Promise<Response> =>
  fetchRaw('get', '/executions/{id}/events', { path: { id }, signal });

/** The record that changed last in a conversation. */
export async function newestExecution(sessionId: string): Promise<string | null> {
  const { data } = await api.get('/executions', { query: { sessionId, limit: 1 } });
  return data[0]?.id ?? null;
}

export function useShareExecution(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (isPublic: boolean) => api.put('/executions/{id}', { path: { id }, body: { isPublic } }),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}

export function useStopExecution(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post('/executions/{id}/stop', { path: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

/** Deletes records; how many there were that could be. */
export function useDeleteExecutions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const [first] = ids;
      const { deletedCount } =
        ids.length === 1 && first !== undefined
          ? await api.delete('/executions/{id}', { path: { id: first } })
          : await api.delete('/executions', { body: { executionIds: [...ids] } });
      return deletedCount;
    },
    onSuccess: (_count, ids) => {
      for (const id of ids) client.removeQueries({ queryKey: one(id) });
      return client.invalidateQueries({ queryKey: [...all, 'list'] });
    },
  });
}
