import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

export type AuditRow = Schemas['AuditEntry'];

export interface AuditQuery {
  page: number;
  limit: number;
  actions: readonly string[];
  userId: string;
  since: string;
  until: string;
}

/** One page of the log; those who are not the owner get the sign-ins of their workspace. */
export const useAudit = (owner: boolean, query: AuditQuery, enabled: boolean) =>
  useQuery({
    queryKey: ['audit', owner, query],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: () => {
      const { actions, ...rest } = query;
      if (owner) return api.get('/audit', { query: { ...rest, action: [...actions] } });
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
      return api.post('/audit/login-activity', { body: given });
    },
  });
