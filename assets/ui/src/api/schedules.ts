import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

export type ScheduleStatus = Schemas['ScheduleStatus'];
export type TriggerLog = Schemas['TriggerLog'];

/** Rows of the log that a panel shows. */
const ROWS = 10;

const keys = {
  all: (flow: string) => ['schedule', flow],
  status: (flow: string) => ['schedule', flow, 'status'],
  log: (flow: string) => ['schedule', flow, 'log'],
};

/** How the schedule of a flow stands; asked for only where there may be one. */
export const useSchedule = (flow: string, wanted = true) =>
  useQuery({
    queryKey: keys.status(flow),
    enabled: wanted,
    queryFn: () => api.get('/chatflows/{id}/schedule/status', { path: { id: flow } }),
  });

/** What became of its last times. */
export const useTriggerLog = (flow: string) =>
  useQuery({
    queryKey: keys.log(flow),
    queryFn: () =>
      api.get('/chatflows/{id}/schedule/trigger-logs', { path: { id: flow }, query: { limit: ROWS } }),
  });

export function useSwitchSchedule(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) =>
      api.patch('/chatflows/{id}/schedule/enabled', { path: { id: flow }, body: { enabled } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.all(flow) }),
  });
}
