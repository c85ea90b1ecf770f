export type Environment = 'dev' | 'prod';

/** How this server is labelled. The git copy's status will tell it; until then servers are unlabelled. */
export function useEnvironment(): Environment | null {
  return null;
}
