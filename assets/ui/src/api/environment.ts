import { useQuery } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Schemas } from './models';

export type Environment = Schemas['Environment'];

/** What everybody may know of the server. One that does not say what it is is not labelled. */
type ServerFacts = Schemas['PublicSettings'] & { environment?: Environment | null };

/** How this server is labelled, on every page; null where it is not. */
export function useEnvironment(): Environment | null {
  const { data } = useQuery<ServerFacts>({
    queryKey: cached.settings,
    staleTime: 60_000,
    queryFn: () => api.get('/settings'),
  });
  return data?.environment ?? null;
}
