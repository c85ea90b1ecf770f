import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

export type UsageReport = Schemas['UsageReport'];
export type BudgetUse = UsageReport['budgets'][number];

/** Which questions are counted. Days are those of UTC, `2026-11-29`, and both ends belong to the span. */
export interface UsageQuery {
  from: string;
  to: string;
  flowId?: string;
  keyId?: string;
  model?: string;
}

/** How much was asked and used in these days: by day, flow, key and model, and what is left of today's budgets. */
export const useUsage = (query: UsageQuery, enabled = true) =>
  useQuery({
    queryKey: ['usage', query],
    enabled,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/usage', { query: { ...query } }),
  });
