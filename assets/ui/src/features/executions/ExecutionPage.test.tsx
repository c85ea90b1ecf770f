import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TooltipProvider } from '../../ui';
import ExecutionPage from './ExecutionPage';

const record = (id: string, state: string) => ({
  id,
  state,
  agentflowId: 'f',
  agentflow: { id: 'f', name: `Flow of ${id}` },
  createdDate: '2026-01-01T10:00:00.000Z',
  updatedDate: '2026-01-01T10:00:01.000Z',
  executionData: [],
  pauses: [],
});

let asked: string[];
/** What the stream of a run answers. */
let stream: () => Response;
const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });

const Page = ({ id }: { id: string }): ReactNode => (
  <QueryClientProvider client={client}>
    <TooltipProvider>
      <ExecutionPage params={{ id }} />
    </TooltipProvider>
  </QueryClientProvider>
);

const pass = async (ms: number): Promise<void> => {
  for (let gone = 0; gone < ms; gone += 500)
    await act(async () => void (await vi.advanceTimersByTimeAsync(500)));
};
const times = (path: string): number => asked.filter((one) => one.split('?')[0]?.endsWith(path)).length;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  stream = () => Response.json({ message: 'It failed.' }, { status: 500 });
  client.clear();
  client.setQueryData(['me'], {
    id: 'ada',
    activeWorkspaceId: 'w',
    isOrganizationAdmin: true,
    permissions: [],
  });
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    if (address.endsWith('/events')) return Promise.resolve(stream());
    const id = address.split('/').at(-1) ?? '';
    return Promise.resolve(Response.json(record(id, id === 'old' ? 'FINISHED' : 'INPROGRESS')));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a run that cannot be followed', () => {
  it('is asked for every few seconds, and the next record is not', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { rerender } = render(<Page id="new" />);
    await pass(10_000);
    expect(screen.getByText(/What happens is not told live/)).toBeTruthy();
    expect(times('/executions/new')).toBeGreaterThan(2);
    rerender(<Page id="old" />);
    await pass(1000);
    const before = asked.length;
    await pass(10_000);
    expect(asked.length).toBe(before);
    expect(errors).not.toHaveBeenCalled();
  });

  it('is followed again, but less and less often', async () => {
    render(<Page id="new" />);
    await pass(60_000);
    expect(times('/events')).toBeGreaterThan(2);
    expect(times('/events')).toBeLessThan(7);
  });

  it('is not asked to be followed again once that was refused', async () => {
    stream = () => Response.json({ message: 'No.' }, { status: 403 });
    render(<Page id="new" />);
    await pass(60_000);
    expect(times('/events')).toBe(1);
    expect(times('/executions/new')).toBeGreaterThan(2);
  });
});
