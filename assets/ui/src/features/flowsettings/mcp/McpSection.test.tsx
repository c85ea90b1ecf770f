import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Flow } from '../../../api/models';
import { TooltipProvider } from '../../../ui';
import McpSection from './McpSection';

const none = { enabled: false, token: '', description: '', toolName: '' };
const orders = { enabled: true, token: 'fkm_••••wxyz', description: 'Finds orders.', toolName: 'orders' };
type Server = typeof none;

/** The panel, in front of a service that keeps the tool as the real one does. */
function shown(first: Server, taken: readonly string[] = []): void {
  let stored = first;
  const refuse = (status: number, message: string): Response => Response.json({ message }, { status });
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string, init?: RequestInit) => {
      const sent = (typeof init?.body === 'string' ? JSON.parse(init.body) : {}) as Partial<Server>;
      if (sent.toolName && taken.includes(sent.toolName)) return Promise.resolve(refuse(409, 'Taken.'));
      if (init?.method === 'POST' || init?.method === 'PUT')
        stored = { ...stored, token: 'fkm_••••wxyz', enabled: true, ...sent };
      if (init?.method === 'DELETE') stored = none;
      const fresh = init?.method === 'POST' ? { token: address.endsWith('refresh') ? 'fkm_2' : 'fkm_1' } : {};
      return Promise.resolve(Response.json({ ...stored, ...fresh }));
    }),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <McpSection flow={{ id: 'f1', name: 'Where is it?', type: 'CHATFLOW' } as Flow} mayEdit isLive />
      </TooltipProvider>
    </QueryClientProvider>,
  );
}

const calls = (method: string): [string, string][] =>
  vi
    .mocked(fetch)
    .mock.calls.filter(([, init]) => init?.method === method)
    .map(([address, init]) => [String(address), typeof init?.body === 'string' ? init.body : '']);
const description = (): HTMLElement => screen.getByLabelText(/^What it does/);
const press = (name: string): Promise<void> => userEvent.click(screen.getByRole('button', { name }));

afterEach(() => vi.unstubAllGlobals());

describe('a flow as a tool of MCP', () => {
  test('becomes one once it is described, and shows its token once with configuration that holds it', async () => {
    shown(none);
    expect(((await screen.findByLabelText(/^Name of the tool/)) as HTMLInputElement).value).toBe(
      'where_is_it',
    );
    await userEvent.type(description(), 'Finds orders.');
    await press('Make it a tool');
    const dialog = within(await screen.findByRole('dialog'));
    expect(calls('POST')).toEqual([
      ['/api/v1/mcp-server/f1', '{"toolName":"where_is_it","description":"Finds orders."}'],
    ]);
    const config = dialog.getByRole('region', { name: 'Configuration' }).querySelector('pre')?.textContent;
    expect(JSON.parse(config ?? '')).toEqual({
      mcpServers: {
        where_is_it: {
          type: 'http',
          url: `${location.origin}/api/v1/mcp/f1`,
          headers: { Authorization: 'Bearer fkm_1' },
        },
      },
    });
    await userEvent.click(dialog.getByRole('checkbox'));
    await userEvent.click(dialog.getByRole('button', { name: 'Done' }));
    await screen.findByRole('switch', { name: /Offer the flow/ });
    expect(document.body.textContent).not.toContain('fkm_1');
    expect(document.body.textContent).toContain('YOUR_MCP_TOKEN');
  });

  test('says at the field what is wrong with a name, before and after it was sent', async () => {
    shown(orders, ['prices']);
    const name = await screen.findByLabelText(/^Name of the tool/);
    await userEvent.clear(name);
    await userEvent.type(name, 'two words');
    expect(name.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
    await userEvent.clear(name);
    await userEvent.type(name, 'prices');
    await press('Save');
    await screen.findByText('Taken.');
    expect(name.getAttribute('aria-invalid')).toBe('true');
    await userEvent.type(name, '2');
    expect(screen.queryByText('Taken.')).toBeNull();
    await userEvent.clear(description());
    expect(description().getAttribute('aria-invalid')).toBe('true');
  });

  test('is switched off by its switch', async () => {
    shown(orders);
    await userEvent.click(await screen.findByRole('switch'));
    expect(calls('PUT')).toEqual([['/api/v1/mcp-server/f1', '{"enabled":false}']]);
    await screen.findByText(/^Switched off/);
  });

  test('gets another token only once that was confirmed', async () => {
    shown(orders);
    await screen.findByText(/fkm_••••wxyz/);
    await press('New token');
    await press('Cancel');
    expect(calls('POST')).toEqual([]);
    await press('New token');
    await press('Make another token');
    await screen.findByText('fkm_2');
    expect(calls('POST')).toEqual([['/api/v1/mcp-server/f1/refresh', '']]);
  });

  test('is none any more once that was confirmed', async () => {
    shown(orders);
    await screen.findByText(/fkm_••••wxyz/);
    await press('Remove the tool');
    await userEvent.click(
      within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Remove the tool' }),
    );
    await screen.findByRole('button', { name: 'Make it a tool' });
    expect(calls('DELETE')).toHaveLength(1);
  });
});
