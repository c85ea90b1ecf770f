import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Schemas } from './models';

export type ScheduleStatus = Schemas['ScheduleStatus'];
export type TriggerLog = Schemas['TriggerLog'];

/** Rows of the log that a panel shows. */
export const LOG_ROWS = 10;

const keys = {
  status: (flow: string) => [...cached.schedule(flow), 'status'],
  log: (flow: string) => [...cached.schedule(flow), 'log'],
};

/** How the schedule of a flow stands; asked for only where there may be one. */
export const useSchedule = (flow: string, wanted = true) =>
  useQuery({
    queryKey: keys.status(flow),
    enabled: wanted,
    queryFn: () => api.get('/chatflows/{id}/schedule/status', { path: { id: flow } }),
  });

/** What became of its last times, a page at a time. */
export const useTriggerLog = (flow: string, page: number) =>
  useQuery({
    queryKey: [...keys.log(flow), page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      api.get('/chatflows/{id}/schedule/trigger-logs', {
        path: { id: flow },
        query: { limit: LOG_ROWS, page },
      }),
  });

/** Deletes rows of the log, with the records of their runs. */
export function useDeleteTriggerLog(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (logIds: string[]) =>
      api.delete('/chatflows/{id}/schedule/trigger-logs', { path: { id: flow }, body: { logIds } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.log(flow) }),
  });
}

export function useSwitchSchedule(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) =>
      api.patch('/chatflows/{id}/schedule/enabled', { path: { id: flow }, body: { enabled } }),
    onSettled: () => client.invalidateQueries({ queryKey: cached.schedule(flow) }),
  });
}
