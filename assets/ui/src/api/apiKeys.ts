import { useQuery } from '@tanstack/react-query';
import type { Catalogue } from '../core/permissions';
import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';

export interface ApiKey {
  id: string;
  keyName: string;
  /** Hidden, except in the answer to making it. */
  apiKey: string;
  permissions: string[];
  usage: number;
  createdDate: string;
  updatedDate: string;
  /** The flows that are bound to it. */
  chatFlows: { flowName: string; category: string | null; updatedDate: string }[];
}

export interface ApiKeyBody {
  keyName: string;
  permissions: string[];
}

const records: Records<ApiKey, ApiKeyBody> = {
  key: ['apiKeys'],
  path: '/apikey',
  preview: (row, body) => ({ ...row, ...body }),
};

export const useApiKeys = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateApiKey = () => useCreateRecord(records);
export const useChangeApiKey = () => useChangeRecord(records);
export const useDeleteApiKey = () => useDeleteRecord(records);

/** The permissions there are, by resource. */
export const usePermissions = (type: 'API_KEY' | 'ROLE', enabled = true) =>
  useQuery({
    queryKey: ['permissions', type],
    enabled,
    staleTime: Infinity,
    queryFn: () => api.get<Catalogue>(`/auth/permissions/${type}`),
  });
