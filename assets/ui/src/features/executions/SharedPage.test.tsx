import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import SharedPage from './SharedPage';

afterEach(() => vi.unstubAllGlobals());

it('says of a shared run without room that its steps are not shown, not that none ran', async () => {
  const record = {
    id: 'e',
    state: 'FINISHED',
    error: null,
    cut: true,
    agentflow: { id: 'f', name: 'Flow' },
    createdDate: '2026-01-01T10:00:00.000Z',
    updatedDate: '2026-01-01T10:00:01.000Z',
    stoppedDate: null,
    isPublic: true,
  };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(record)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SharedPage params={{ id: 'e' }} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText('There was no room to show what the steps did.')).toBeTruthy();
});
