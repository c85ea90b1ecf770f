import type { ReactNode } from 'react';
import { t } from '../i18n';
import { AwayState, ErrorState, Skeleton } from './States';

/** What the query library gives, as far as it is needed here. */
export interface QueryLike<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

export interface LoadedProps<Data> {
  query: QueryLike<Data>;
  /** Instead of six grey lines. */
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Loading, error with Retry, or what was loaded. Data that is there stays while it is fetched anew. */
export function Loaded<Data>({ query, skeleton, children }: LoadedProps<Data>): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    if ('status' in query.error && query.error.status === 0) return <AwayState />;
    const retryAfter =
      'retryAfter' in query.error && typeof query.error.retryAfter === 'number'
        ? query.error.retryAfter
        : null;
    return (
      <ErrorState
        message={query.error.message || t('errors.server')}
        retryAfter={retryAfter}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return skeleton ?? <Skeleton lines={6} height={20} />;
}
