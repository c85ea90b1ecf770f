import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Flow } from '../../api/models';
import { TooltipProvider } from '../../ui';
import PublishDialog from './PublishDialog';

const canvas = (prompt: string): string =>
  JSON.stringify({
    nodes: [
      { id: 'a', position: { x: 0, y: 0 }, data: { name: 'llmChain', label: 'Chain', inputs: { prompt } } },
    ],
    edges: [],
  });
const flow = { id: 'f', name: 'Desk', flowData: canvas('Live'), updatedDate: 'l1' } as unknown as Flow;
const draftOf = (prompt: string, updatedDate: string) => ({
  flowData: canvas(prompt),
  updatedDate,
  updatedBy: 'grace',
  stale: false,
});

/** What the service holds. It refuses to publish another draft than the one that is meant. */
let stored: ReturnType<typeof draftOf> | null;
let published: (string | null)[];

function answer(url: string, { method, headers }: RequestInit = {}): Response {
  const path = new URL(url, location.origin).pathname;
  if (path.endsWith('/publish') && method === 'POST') {
    const meant = new Headers(headers).get('if-match');
    if (meant !== `"${stored?.updatedDate ?? 'none'}"`)
      return Response.json({ message: 'The draft was changed.' }, { status: 409 });
    published.push(meant);
    stored = null;
    return Response.json({ version: null, unchanged: false, historyError: null });
  }
  if (path.endsWith('/changes')) return Response.json({ sentences: [`Saved ${stored?.updatedDate ?? ''}.`] });
  if (path.endsWith('/flow-drafts/f'))
    return Response.json({ mode: 'draft', draft: stored, lastPublished: { sha: null, date: 'd' } });
  if (path.endsWith('/workspaceuser'))
    return Response.json([{ userId: 'grace', user: { name: 'Grace' }, role: null }]);
  if (path.includes('/validation/')) return Response.json([]);
  return Response.json(flow);
}

function shown() {
  stored = draftOf('Mine', 'd1');
  published = [];
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string, init?: RequestInit) => Promise.resolve(answer(url, init))),
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000 } } });
  client.setQueryData(['me'], { id: 'ada', activeWorkspaceId: 'w', permissions: ['workspace:view'] });
  const onClose = vi.fn();
  render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <PublishDialog
          flow={flow}
          unsaved={false}
          onClose={onClose}
          goToNode={() => undefined}
          parts={{ Check: () => null, CheckLine: () => null, Canvases: () => null }}
        />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { client, onClose };
}

const publish = (): HTMLButtonElement => screen.getByRole('button', { name: 'Publish' });

afterEach(() => vi.unstubAllGlobals());

describe('the dialog of Publish', () => {
  test('publishes the draft that it shows', async () => {
    const { onClose } = shown();
    await screen.findByText('Saved d1.');
    await userEvent.click(publish());
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(published).toEqual(['"d1"']);
  });

  test('says who changed the draft meanwhile, and publishes it only after another look', async () => {
    const { onClose } = shown();
    await screen.findByText('Saved d1.');
    stored = draftOf('Theirs', new Date().toISOString());
    await userEvent.click(publish());
    await screen.findByText('This draft was changed since you looked at it');
    await screen.findByText(/Saved last by Grace: now\./);
    expect([publish().disabled, published]).toEqual([true, []]);
    await userEvent.click(screen.getByRole('button', { name: 'Look again' }));
    await screen.findByText(`Saved ${stored.updatedDate}.`);
    expect(screen.queryByText('This draft was changed since you looked at it')).toBeNull();
    await waitFor(() => expect(publish().disabled).toBe(false));
    await userEvent.click(publish());
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(published).toHaveLength(1);
  });

  test('says so when the page hears of another draft by itself', async () => {
    const { client } = shown();
    await screen.findByText('Saved d1.');
    stored = null;
    await client.invalidateQueries({ queryKey: ['drafts'] });
    await screen.findByText('This draft is gone: it was published or discarded meanwhile');
    expect(publish().disabled).toBe(true);
  });
});
