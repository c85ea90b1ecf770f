import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

export type ServerStatus = Schemas['ServerStatus'];
export type ServerSetting = Schemas['ServerSetting'];
export type LogLine = Schemas['LogLine'];
export type LogLevel = LogLine['level'];

/** Which program answers. */
export const useVersionOfService = () =>
  useQuery({ queryKey: ['service'], staleTime: 60_000, queryFn: () => api.get('/version') });

/** How the server is: what somebody has to see to, its settings, its disk. Only the owner is told. */
export const useServer = (enabled: boolean) =>
  useQuery({
    queryKey: ['server'],
    enabled,
    staleTime: 5000,
    refetchInterval: 30_000,
    queryFn: () => api.get('/server'),
  });

const LOG_LINES = 500;
const LOG_PAUSE_MS = 3000;

/** The newest lines of the log, followed while it is not paused. */
export const useServerLog = (level: LogLevel, paused: boolean) =>
  useQuery({
    queryKey: ['server', 'log', level],
    // What comes back into view is not read anew while it is paused either.
    staleTime: paused ? Infinity : 0,
    placeholderData: keepPreviousData,
    refetchInterval: paused ? false : LOG_PAUSE_MS,
    queryFn: () => api.get('/server/log', { query: { level, limit: LOG_LINES } }),
  });
