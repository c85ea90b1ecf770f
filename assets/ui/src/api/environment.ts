import { useQuery } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Schemas } from './models';

export type Environment = Schemas['Environment'];

/** How this server is labelled, on every page; null where it is not. */
export function useEnvironment(): Environment | null {
  const { data } = useQuery({
    queryKey: cached.settings,
    staleTime: 60_000,
    queryFn: () => api.get('/settings'),
  });
  return data?.environment ?? null;
}
