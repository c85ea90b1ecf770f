import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What was refused is refused again; only a lost connection or a fault is worth one more try.
      retry: (count, error) =>
        count < 1 && error instanceof ApiError && (error.status === 0 || error.status === 500),
      retryDelay: 600,
    },
    mutations: { retry: false },
  },
});
