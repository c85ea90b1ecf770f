import { useQuery } from '@tanstack/react-query';
import { api, ApiError } from './client';
import type { Schemas } from './models';

export type Users = Schemas['Uses'];

/** By id (variables: by name), which flows use it. `null` when the service does not tell. */
export const useUsedBy = (
  kind: 'credentials' | 'documentStores' | 'tools' | 'toolServers' | 'variables',
  enabled = true,
) =>
  useQuery({
    queryKey: ['usedBy', kind],
    enabled,
    queryFn: async () => {
      try {
        return await api.get('/used-by/{kind}', { path: { kind } });
      } catch (error) {
        if (error instanceof ApiError && [403, 404].includes(error.status)) return null;
        throw error;
      }
    },
  });
