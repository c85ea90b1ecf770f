import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../api/stores';
import { Toaster, TooltipProvider } from '../../ui';
import AskStore from './AskStore';

const store = { id: 's1', embeddingConfig: {} } as Store;
const found = { pageContent: 'Parcels are free.', metadata: { source: 'prices.txt' }, score: 0.1 };

/** Shows what the store found; looking a passage up answers with each of these in turn. */
function shown(...answers: (() => Response)[]): void {
  const fetched = (url: string): Promise<Response> => {
    if (url.includes('/vectorstore/query'))
      return Promise.resolve(Response.json({ docs: [found], timeTaken: 3 }));
    const answer = answers.shift();
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('Failed to fetch'));
  };
  vi.stubGlobal('fetch', vi.fn(fetched));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <AskStore store={store} />
        <Toaster />
      </TooltipProvider>
    </QueryClientProvider>,
  );
}
const open = async (): Promise<void> =>
  userEvent.click(await screen.findByRole('button', { name: 'Open in its document' }));

beforeEach(() => history.replaceState(null, '', '/knowledge/s1?tab=ask&ask=price'));
afterEach(() => vi.unstubAllGlobals());

describe('a passage that was found', () => {
  test('that could not be looked up says so, and is opened by another try', async () => {
    const broken = (): Response => Response.json({ statusCode: 500, message: 'The disk.' }, { status: 500 });
    const there = { ...found, id: 'p7', chunkNo: 7 };
    shown(broken, () => Response.json({ chunks: [there], next: null }));
    await open();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The passage could not be looked up');
    expect(alert.textContent).toContain('The disk.');
    expect(screen.queryByText('The passage is not in the store any more.')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await vi.waitFor(() => expect(location.search).toContain('passage=p7'));
  });

  test('is told apart where the service is away', async () => {
    shown();
    await open();
    await screen.findByText('The passage could not be looked up');
  });

  test('that is gone says that', async () => {
    shown(() => Response.json({ chunks: [], next: null }));
    await open();
    await screen.findByText('The passage is not in the store any more.');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
