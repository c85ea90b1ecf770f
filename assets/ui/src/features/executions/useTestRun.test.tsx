import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Execution } from '../../api/executions';
import type { RunStep } from '../../core/run';
import { useTestRun } from './useTestRun';

/** The record of the new run, once the service has it. */
let found: { id: string }[];

function open() {
  const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
    <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
  );
  return renderHook(() => useTestRun({ id: 'old', agentflowId: 'f', chatId: 'c' } as Execution), { wrapper });
}

const again = { nodeId: 'a', item: null } as unknown as RunStep;
const pass = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

beforeEach(() => {
  vi.useFakeTimers();
  found = [];
  history.replaceState(null, '', '/executions/old');
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(
      address.includes('/internal-prediction/')
        ? new Response('', { headers: { 'x-service-chat-id': 'new' } })
        : Response.json({ data: found }),
    ),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('running again', () => {
  it('goes to the new record once there is one', async () => {
    const { result } = open();
    act(() => result.current.again(again));
    await pass(500);
    expect(location.pathname).toBe('/executions/old');
    found = [{ id: 'new' }];
    await pass(500);
    expect(location.pathname).toBe('/executions/new');
  });

  it('does not call back who went elsewhere', async () => {
    const { result, unmount } = open();
    act(() => result.current.again(again));
    await pass(500);
    unmount();
    history.replaceState(null, '', '/');
    found = [{ id: 'new' }];
    await pass(5000);
    expect(location.pathname).toBe('/');
  });

  it('says so when no record is found', async () => {
    const { result } = open();
    act(() => result.current.again(again));
    await pass(6000);
    expect(result.current).toMatchObject({
      busy: false,
      refused: { message: expect.stringContaining('No record of a new run') as string },
    });
  });
});
