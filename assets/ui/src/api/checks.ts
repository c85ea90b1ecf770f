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

/** What is checked against Live: the draft, or the version that Dev offers. */
export type CheckSource = 'draft' | 'incoming';

const keys = {
  setup: (flow: string, source: CheckSource) => ['check', flow, source, 'setup'],
  one: (flow: string, id: string) => ['check', flow, 'one', id],
  kept: (flow: string) => ['check', flow, 'kept'],
};

const routes = {
  draft: { all: '/flow-drafts/{id}/check', one: '/flow-drafts/{id}/check/{check}' },
  incoming: {
    all: '/flow-versions/incoming/{id}/check',
    one: '/flow-versions/incoming/{id}/check/{check}',
  },
} as const;

/** How often a check that runs is asked how far it is. */
const RUNNING_MS = 800;

const questions = '/flow-drafts/{id}/check/questions' as const;

/** What a check would be, and the newest one. */
export const useCheckSetup = (flow: string, source: CheckSource) =>
  useQuery({
    queryKey: keys.setup(flow, source),
    // Somebody else may have begun one.
    staleTime: 0,
    queryFn: () => api.get(routes[source].all, { path: { id: flow } }),
  });

/** One check, read again and again while it runs. */
export const useCheck = (flow: string, id: string | null, source: CheckSource) =>
  useQuery({
    queryKey: keys.one(flow, id ?? ''),
    enabled: id !== null,
    staleTime: 0,
    queryFn: () => api.get(routes[source].one, { path: { id: flow, check: id ?? '' } }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'running' && !isLost(state.error) ? RUNNING_MS : false,
  });

/** The service does not know the check any more. */
export const isLost = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** Puts a check where the page reads it. */
function keep(client: QueryClient, flow: string, source: CheckSource, check: Check): void {
  client.setQueryData(keys.one(flow, check.id), check);
  client.setQueryData<CheckSetup>(keys.setup(flow, source), (setup) => setup && { ...setup, check });
}

export function useStartCheck(flow: string, source: CheckSource) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CheckStart) => api.post(routes[source].all, { path: { id: flow }, body }),
    onSuccess: (check) => keep(client, flow, source, check),
    // Another one may be running.
    onError: () => client.invalidateQueries({ queryKey: keys.setup(flow, source) }),
  });
}

export function useStopCheck(flow: string, source: CheckSource) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (check: string) => api.delete(routes[source].one, { path: { id: flow, check } }),
    onSuccess: (check) => keep(client, flow, source, check),
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
