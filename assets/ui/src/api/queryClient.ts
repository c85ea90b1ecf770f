import { QueryClient } from '@tanstack/react-query';
import { isAway, subscribeAway } from '../core/connection';
import { ApiError, NO_ANSWER } from './client';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The service may run on this very machine, whatever the browser thinks of the network.
      networkMode: 'always',
      // What was refused is refused again; only a lost connection or a fault is worth one more try.
      retry: (count, error) =>
        count < 1 && error instanceof ApiError && (error.status === NO_ANSWER || error.status === 500),
      retryDelay: 600,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// What could not be read while the service was away, and what may have changed meanwhile, is read as soon as it answers.
subscribeAway(() => {
  if (!isAway()) void queryClient.invalidateQueries();
});
