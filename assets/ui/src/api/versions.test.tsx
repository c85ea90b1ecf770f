import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Flow } from './models';
import { useDraftChanges } from './versions';

afterEach(() => vi.unstubAllGlobals());

test('what a draft changes is told anew once Live is another one, though the draft is the same', async () => {
  const told = [['The prompt is new.'], ['The prompt is shorter.']];
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json({ sentences: told.shift() }))),
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const { result, rerender } = renderHook(
    (live: string) => useDraftChanges({ id: 'f', updatedDate: live } as Flow, 'draft 1').data?.sentences,
    {
      initialProps: 'live 1',
      wrapper: ({ children }: { children: ReactNode }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    },
  );
  await waitFor(() => expect(result.current).toEqual(['The prompt is new.']));
  rerender('live 2');
  expect(result.current).toBeUndefined();
  await waitFor(() => expect(result.current).toEqual(['The prompt is shorter.']));
});
