/** The servers of tools of a workspace: stored, asked, changed and deleted in the browser alone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  axe,
  closeBrowser,
  focused,
  missing,
  openSignedIn,
  shot,
  startService,
  type Opened,
  type OpenOptions,
  type Service,
} from './harness';
import { startToolHost, type ToolHost } from './mcp-support';

interface Row {
  id: string;
  name: string;
  serverUrl: string;
  status: string;
  authConfig: { headers: Record<string, string> };
}

describe.skipIf(missing)('servers of tools', () => {
  let host: ToolHost;
  let service: Service;
  beforeAll(async () => {
    host = await startToolHost();
    service = await startService({ SERVICE_HTTP_ALLOW: host.address });
  });
  afterAll(async () => {
    await closeBrowser();
    await service.stop();
    await host.stop();
  });

  const rows = async (): Promise<Row[]> =>
    (await service.call<{ data: Row[] }>('GET', '/custom-mcp-servers')).data;
  const openTab = (options: OpenOptions = {}): Promise<Opened> =>
    openSignedIn(service, '/tools?tab=servers', options);
  const menu = async (page: Page, name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('stores a server, and says in words why it lists no tools', async () => {
    for (const { id } of await rows()) await service.call('DELETE', `/custom-mcp-servers/${id}`);
    // The refusal is what is tested; browsers write every one down.
    const { page, close } = await openSignedIn(service, '/tools', { allowed: [/authorize .*400/] });
    await page.getByText('No tools yet').waitFor();
    await page.getByRole('tab', { name: 'Own tools' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('No servers of tools yet').waitFor();
    expect(await focused(page)).toBe('Servers of tools');
    expect(new URL(page.url()).search).toBe('?tab=servers');
    await axe(page);
    await page.getByRole('button', { name: 'New server' }).click();
    const form = page.getByRole('dialog', { name: 'New server' });
    await form.getByRole('button', { name: 'Add server' }).click();
    expect(await form.getByText('This is needed.').count()).toBe(2);
    await form.getByLabel('Name').fill('Parcels');
    await form.getByLabel('Address').fill('parcels');
    await form.getByRole('button', { name: 'Add header' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.type('X Key');
    await form.getByRole('group', { name: 'Header 1' }).getByLabel('Value').fill('closed');
    await form.getByRole('button', { name: 'Add server' }).click();
    await form.getByText(/Write the whole address/).waitFor();
    await form.getByText(/Use letters, digits and signs/).waitFor();
    await axe(page);
    await shot(page, 'toolservers-new');
    await form.getByLabel('Address').fill(host.url);
    await form.getByRole('group', { name: 'Header 1' }).getByLabel('Name').fill('X-Key');
    await form.getByRole('button', { name: 'Add server' }).click();
    const tools = page.getByRole('dialog', { name: 'Tools of Parcels' });
    await tools.getByText('It did not list its tools').waitFor();
    await tools.getByRole('alert').filter({ hasText: '401' }).or(tools.getByText(/401/)).first().waitFor();
    await axe(page);
    await shot(page, 'toolservers-refused');
    await tools.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /Parcels.*No tools/ }).waitFor();
    expect(host.keys).toContain('closed');
    expect(await rows()).toMatchObject([
      { name: 'Parcels', status: 'ERROR', serverUrl: `http://${host.address}/••••••••` },
    ]);
    await close();
  });

  it('asks it again with another value, and lists the tools that it found', async () => {
    const { page, close } = await openTab();
    await page.getByRole('button', { name: 'Parcels', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit server of tools' });
    await form.getByRole('group', { name: 'Header 1' }).getByLabel('Value').fill('opened');
    await shot(page, 'toolservers-edit');
    await axe(page);
    await form.getByRole('button', { name: 'Save' }).click();
    const tools = page.getByRole('dialog', { name: 'Tools of Parcels' });
    await tools.getByText('find_parcel').waitFor();
    await tools.getByText('Says what a parcel costs.').waitFor();
    await axe(page);
    await shot(page, 'toolservers-tools');
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Parcels.*2 tools/ }).waitFor();
    await close();
  });

  it('keeps what is not typed anew, and asks for a header again at another address', async () => {
    const { page, close } = await openTab();
    await page.getByRole('button', { name: 'Parcels', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit server of tools' });
    await form.getByLabel('Name').first().fill('Parcels of today');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Parcels of today.*2 tools/ }).waitFor();
    const [kept] = await rows();
    expect(kept).toMatchObject({ status: 'AUTHORIZED', authConfig: { headers: { 'X-Key': '••••••••' } } });
    const asked = host.keys.length;
    await service.call('POST', `/custom-mcp-servers/${kept?.id}/authorize`);
    expect(host.keys.slice(asked)).toEqual(['opened']);
    await page.getByRole('button', { name: 'Parcels of today', exact: true }).click();
    await form.getByLabel('Address').fill('https://elsewhere.example/mcp');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Type it again: it was stored for another address.').waitFor();
    expect((await rows())[0]?.serverUrl).toBe(`http://${host.address}/••••••••`);
    await close();
  });

  it('names the flows that use a server before it is deleted', async () => {
    const [row] = await rows();
    const flow = { nodes: [{ id: 'a', data: { inputs: { server: row?.id } } }], edges: [] };
    await service.call('POST', '/chatflows', {
      name: 'Asks for parcels',
      type: 'CHATFLOW',
      flowData: JSON.stringify(flow),
    });
    const { page, close } = await openTab();
    await page.getByRole('button', { name: /1 draft/ }).waitFor();
    await menu(page, 'Parcels of today', 'Delete');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Asks for parcels').waitFor();
    await axe(page);
    await shot(page, 'toolservers-delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await rows()).toHaveLength(1);
    await close();
  });

  it('shows who may only look what there is, and nothing to change it with', async () => {
    const { page, close } = await openTab();
    await page.route('**/api/v1/auth/me', async (route) => {
      const answer = await route.fetch();
      const me = (await answer.json()) as object;
      await route.fulfill({
        response: answer,
        json: { ...me, isOrganizationAdmin: false, permissions: ['tools:view'] },
      });
    });
    await page.reload();
    await page.getByText(/You may look at servers of tools only/).waitFor();
    expect(await page.getByRole('button', { name: 'New server' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Parcels of today', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Server of tools', exact: true });
    expect(await form.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await form.getByRole('button', { name: 'Close' }).last().click();
    await menu(page, 'Parcels of today', 'Show its tools');
    const tools = page.getByRole('dialog', { name: 'Tools of Parcels of today' });
    await tools.getByText('find_parcel').waitFor();
    expect(await tools.getByRole('button', { name: 'Ask again' }).count()).toBe(0);
    await close();
  });

  it('is readable at each width in both themes', async () => {
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        const { page, close } = await openTab({ scheme, width, height: 800 });
        await page.getByRole('row', { name: /Parcels of today/ }).waitFor();
        const over = (): Promise<number> =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(await over()).toBe(0);
        await shot(page, `toolservers-${width}-${scheme}`);
        await page.getByRole('button', { name: 'Parcels of today', exact: true }).click();
        await page.getByRole('dialog').waitFor();
        expect(await over()).toBe(0);
        await shot(page, `toolservers-form-${width}-${scheme}`);
        await page.keyboard.press('Escape');
        await menu(page, 'Parcels of today', 'Show its tools');
        await page.getByText('find_parcel').waitFor();
        await shot(page, `toolservers-tools-${width}-${scheme}`);
        await close();
      }
  }, 120_000);

  it('deletes a server that flows use once that was said', async () => {
    const { page, close } = await openTab();
    await page.getByRole('button', { name: /1 draft/ }).waitFor();
    await menu(page, 'Parcels of today', 'Delete');
    await page.getByRole('button', { name: 'Delete server' }).click();
    await page.getByText('No servers of tools yet').waitFor();
    expect(await rows()).toEqual([]);
    await close();
  });
});
