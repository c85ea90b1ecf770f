import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TooltipProvider } from '../../ui';
import { VisitorList } from './VisitorList';

const lead = (name: string, at: number) => ({
  id: `l${at}`,
  name,
  email: `${name.toLowerCase()}@example.com`,
  phone: null,
  chatflowid: 'f1',
  flowName: 'Desk',
  chatId: `c${at}`,
  createdDate: '2026-11-29T08:00:00.000Z',
});
const pages: Record<string, object> = {
  '': { data: [lead('Ada', 1)], nextCursor: 'l1' },
  l1: { data: [lead('Grace', 2)], nextCursor: null },
};

/** Shows the list at an address; returns which pages were asked for, by cursor and size. */
function shown(search: string): string[] {
  history.replaceState(null, '', `/conversations${search}`);
  const asked: string[] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string) => {
      const query = new URL(url, location.origin).searchParams;
      asked.push(`${query.get('cursor') ?? ''}/${query.get('limit') ?? ''}`);
      return Promise.resolve(Response.json(pages[query.get('cursor') ?? '']));
    }),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <VisitorList flows={[]} flow={null} loaded />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

describe('the list of visitors', () => {
  test('shows a page as soon as that is there, and leads on to the next', async () => {
    const asked = shown('?tab=visitors');
    await screen.findByText('Ada');
    expect(asked).toEqual(['/25']);
    await userEvent.click(screen.getByRole('link', { name: 'Next page' }));
    await screen.findByText('Grace');
    expect(screen.queryByText('Ada')).toBeNull();
    expect(asked).toEqual(['/25', 'l1/25']);
    expect(location.search).toBe('?tab=visitors&cursor=l1');
    screen.getByRole('link', { name: 'Newest' });
  });

  test('is searched to its end', async () => {
    const asked = shown('?tab=visitors&q=grace%20desk');
    await screen.findByText('Grace');
    expect(screen.queryByText('Ada')).toBeNull();
    await waitFor(() => expect(screen.getByText('1 visitor').getAttribute('role')).toBe('status'));
    expect(asked).toEqual(['/100', 'l1/100']);
  });
});
