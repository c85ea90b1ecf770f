import { useQuery } from '@tanstack/react-query';
import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

export type ApiKey = Schemas['ApiKey'];

export type ApiKeyBody = Required<Schemas['ApiKeyEdit']>;

const records: Records<ApiKey, ApiKeyBody> = {
  key: ['apiKeys'],
  list: () => api.get('/apikey'),
  create: (body) => api.post('/apikey', { body }),
  change: (path, body) => api.put('/apikey/{id}', { path, body }),
  remove: (path, query) => api.delete('/apikey/{id}', { path, query }),
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
    queryFn: () => api.get('/auth/permissions/{type}', { path: { type } }),
  });
