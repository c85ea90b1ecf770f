import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api, ApiError } from './client';
import type { Schemas } from './models';

export type Check = Schemas['Check'];
export type CheckAnswer = Schemas['CheckAnswer'];
export type CheckCase = Schemas['CheckCase'];
export type CheckEstimate = Schemas['CheckEstimate'];
export type CheckExpectation = Schemas['CheckExpectation'];
export type CheckSetup = Schemas['CheckSetup'];
export type CheckStart = Schemas['CheckStart'];
export type KeptQuestion = Schemas['KeptQuestion'];
/** A question to keep; one without an id is new. */
export type KeptQuestionEdit = Schemas['KeptQuestionEdit'];

const keys = {
  setup: (flow: string) => ['check', flow, 'setup'],
  one: (flow: string, id: string) => ['check', flow, 'one', id],
  kept: (flow: string) => ['check', flow, 'kept'],
};

/** How often a check that runs is asked how far it is. */
const RUNNING_MS = 800;

const questions = '/flow-drafts/{id}/check/questions' as const;

/** What a check of the draft would be, and the newest one. */
export const useCheckSetup = (flow: string) =>
  useQuery({
    queryKey: keys.setup(flow),
    // Somebody else may have begun one.
    staleTime: 0,
    queryFn: () => api.get('/flow-drafts/{id}/check', { path: { id: flow } }),
  });

/** One check, read again and again while it runs. */
export const useCheck = (flow: string, id: string | null) =>
  useQuery({
    queryKey: keys.one(flow, id ?? ''),
    enabled: id !== null,
    staleTime: 0,
    queryFn: () => api.get('/flow-drafts/{id}/check/{check}', { path: { id: flow, check: id ?? '' } }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'running' && !isLost(state.error) ? RUNNING_MS : false,
  });

/** The service does not know the check any more. */
export const isLost = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** Puts a check where the page reads it. */
function keep(client: QueryClient, flow: string, check: Check): void {
  client.setQueryData(keys.one(flow, check.id), check);
  client.setQueryData<CheckSetup>(keys.setup(flow), (setup) => setup && { ...setup, check });
}

export function useStartCheck(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CheckStart) => api.post('/flow-drafts/{id}/check', { path: { id: flow }, body }),
    onSuccess: (check) => keep(client, flow, check),
    // Another one may be running.
    onError: () => client.invalidateQueries({ queryKey: keys.setup(flow) }),
  });
}

export function useStopCheck(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (check: string) =>
      api.delete('/flow-drafts/{id}/check/{check}', { path: { id: flow, check } }),
    onSuccess: (check) => keep(client, flow, check),
  });
}

export const useKeptQuestions = (flow: string) =>
  useQuery({
    queryKey: keys.kept(flow),
    queryFn: () => api.get(questions, { path: { id: flow } }),
  });

export type KeptChange = (rows: readonly KeptQuestion[]) => KeptQuestionEdit[];

/** Changes the kept questions as they are by now: others may have kept more meanwhile. */
export function useChangeKept(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: KeptChange) => {
      const rows = await api.get(questions, { path: { id: flow } });
      return api.put(questions, { path: { id: flow }, body: change(rows) });
    },
    onSuccess: (rows) => client.setQueryData(keys.kept(flow), rows),
  });
}
