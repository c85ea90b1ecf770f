import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { address, api, fetchRaw } from './client';
import type { Schemas } from './models';

export type PipelineRun = Schemas['PipelineRun'];
export type PipelineRunPage = Schemas['PipelineRunPage'];
export type PipelineFile = Schemas['PipelineFile'];

/** Rows of a page, as the service cuts them. */
export const RUN_ROWS = 20;

/** How often the list is asked for again: while a run goes on, and while the clock, a call or another person may start one. */
const BUSY_MS = 5000;
const IDLE_MS = 15_000;

const keys = {
  runs: (flow: string) => ['pipelines', flow, 'runs'],
  page: (flow: string, page: number) => ['pipelines', flow, 'runs', page],
  run: (flow: string, run: string) => ['pipelines', flow, 'runs', run],
  files: (flow: string) => ['pipelines', flow, 'files'],
};

/** A page of the runs of a pipeline, the newest first. */
export const usePipelineRuns = (flow: string, page: number) =>
  useQuery({
    queryKey: keys.page(flow, page),
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/etl/{id}/runs', { path: { id: flow }, query: { page } }),
    refetchInterval: ({ state }) => (state.data && underWay(state.data) ? BUSY_MS : IDLE_MS),
  });

/** One run; null asks for none. */
export const usePipelineRun = (flow: string, run: string | null) =>
  useQuery({
    queryKey: keys.run(flow, run ?? ''),
    enabled: run !== null,
    queryFn: () => api.get('/etl/{id}/runs/{run}', { path: { id: flow, run: run ?? '' } }),
  });

/** The run of a first page that goes on: there is one at a time, and it is the newest. */
export const underWay = ({ data }: Pick<PipelineRunPage, 'data'>): PipelineRun | null =>
  data.find(({ state }) => state === 'RUNNING') ?? null;

/** A first page with what is newly known of a run, or with a run that has just begun. */
export function withRun(page: PipelineRunPage | undefined, run: PipelineRun): PipelineRunPage | undefined {
  if (!page) return undefined;
  const { data, total } = page;
  return data.some(({ id }) => id === run.id)
    ? { data: data.map((one) => (one.id === run.id ? run : one)), total }
    : { data: [run, ...data].slice(0, RUN_ROWS), total: total + 1 };
}

/** Puts what is newly known of a run into the list. */
export const keepRun = (client: QueryClient, flow: string, run: PipelineRun): void => {
  client.setQueryData<PipelineRunPage>(keys.page(flow, 1), (page) => withRun(page, run));
};

export const rereadRuns = (client: QueryClient, flow: string): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.runs(flow) });

/** How far a run comes, as it comes. */
export const followPipelineRun = (flow: string, run: string, signal: AbortSignal): Promise<Response> =>
  fetchRaw('get', '/etl/{id}/runs/{run}/events', { path: { id: flow, run }, signal });

export function useStartPipeline(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { dryRun: boolean; params: Record<string, string> }) =>
      api.post('/etl/{id}/runs', { path: { id: flow }, body }),
    onSuccess: (run) => keepRun(client, flow, run),
    // A run that was in its way is shown.
    onError: () => rereadRuns(client, flow),
  });
}

export function useStopPipeline(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (run: string) => api.delete('/etl/{id}/runs/{run}', { path: { id: flow, run } }),
    onSettled: () => rereadRuns(client, flow),
  });
}

/** The files that a pipeline wrote. `after` says after which run: another one may have written others. */
export const usePipelineFiles = (flow: string, after: string) =>
  useQuery({
    queryKey: [...keys.files(flow), after],
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/etl/{id}/files', { path: { id: flow } }),
  });

/** Where a file is read. */
export const pipelineFileAddress = (flow: string, name: string): string =>
  address(`/etl/${encodeURIComponent(flow)}/files/${encodeURIComponent(name)}`);

/** Deletes a file, which its name stands for. */
export function useDeletePipelineFile(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) =>
      api.delete('/etl/{id}/files/{file}', { path: { id: flow, file: id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.files(flow) }),
  });
}
