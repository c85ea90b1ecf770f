/** Edits are never lost: without a connection, and when somebody else saved meanwhile. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { draftsOf, node, saved } from './editor-support';
import { chatCanvas, type Made } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

/** What the browser itself says of calls that get no answer. */
const LOST = [/ERR_INTERNET_DISCONNECTED|Failed to load resource/];

describe.skipIf(missing)('edits', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };
  const make = async (name: string): Promise<string> =>
    drafts.make(name, 'CHATFLOW', await chatCanvas(service));
  const drop = async (page: Page, card: RegExp): Promise<void> => {
    await node(page, card).focus();
    await page.keyboard.press('Delete');
    await node(page, card).waitFor({ state: 'detached' });
  };

  it('made without a connection are kept, and sent when it is back', async () => {
    const id = await make('Train');
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: LOST });
    await node(page, /Buffer Memory/).waitFor();
    await page.context().setOffline(true);
    await drop(page, /Buffer Memory/);
    await page.getByText('Not saved, no connection').waitFor();
    await page.getByText('The server does not answer').waitFor();
    await axe(page);
    await shot(page, 'kept-offline');
    // Drawing goes on meanwhile, and is kept in this browser.
    await node(page, /Conversation Chain/).focus();
    await page.keyboard.press('Shift+ArrowRight');
    const kept = (): Promise<string> =>
      page.evaluate(() => {
        const place = Object.keys(localStorage).find((name) => name.startsWith('flowkeep.edit.'));
        return place ? (localStorage.getItem(place) ?? '') : '';
      });
    await expect.poll(kept).toContain('conversationChain');
    expect(await kept()).not.toContain('bufferMemory_0\\",');
    expect(await drafts.names(id)).toContain('bufferMemory');
    await page.context().setOffline(false);
    await saved(page);
    await expect.poll(() => drafts.names(id)).not.toContain('bufferMemory');
    expect(await drafts.place(id, 'conversationChain')).toEqual({ x: 520, y: 120 });
    // What was sent is not offered again.
    await page.reload();
    await node(page, /Conversation Chain/).waitFor();
    expect(await page.getByText('You have edits that were never saved').count()).toBe(0);
    await close();
  });

  it('give way to theirs when a person says so, and can be copied out first', async () => {
    const id = await make('Theirs wins');
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: [/409/] });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await node(page, /Conversation Chain/).waitFor();
    const theirs = (await chatCanvas(service, 'Theirs')).replace('"x":420,"y":-120', '"x":500,"y":-200');
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: theirs });
    await drop(page, /Buffer Memory/);
    await page.getByText('Somebody else changed this draft').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    const list = dialog.getByRole('region', { name: 'What yours changes of theirs' });
    // Texts before and after, and what only moved.
    await list.getByText('Theirs', { exact: true }).waitFor();
    await list.getByText('Hello {question}', { exact: true }).waitFor();
    await list.getByText('Moved', { exact: true }).waitFor();
    await axe(page);
    await shot(page, 'kept-conflict');
    await dialog.getByRole('button', { name: 'Copy mine out' }).click();
    await page.getByText('Your canvas is on the clipboard', { exact: true }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
      nodes: { data: { name: string } }[];
    };
    expect(copied.nodes.map((one) => one.data.name)).not.toContain('bufferMemory');
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    await node(page, /Buffer Memory/).waitFor();
    await saved(page);
    expect(JSON.stringify(await drafts.read(id))).toContain('Theirs');
    // Mine is one step back.
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await node(page, /Buffer Memory/).waitFor({ state: 'detached' });
    await expect.poll(() => drafts.names(id)).not.toContain('bufferMemory');
    await close();
  });

  it('in conflict are told of on every tab, and a choice that fails can be made again', async () => {
    const id = await make('Twice chosen');
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: [/409/, /500/] });
    await node(page, /Conversation Chain/).waitFor();
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: await chatCanvas(service, 'Theirs') });
    await drop(page, /Buffer Memory/);
    await page.getByText('Somebody else changed this draft').waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the flow' });
    await parts.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(`**/flows/${id}/settings`);
    await page.getByRole('link', { name: 'Changed by somebody else' }).click();
    await page.waitForURL(`**/flows/${id}`);
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'What yours changes of theirs' }).waitFor();
    await page.route(`**/flow-drafts/${id}`, (route) =>
      route.fulfill({ status: 500, json: { statusCode: 500, message: 'Not now.' } }),
    );
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.getByRole('alert').getByText('This could not be loaded').waitFor();
    await axe(page);
    await shot(page, 'kept-refused');
    await page.unroute(`**/flow-drafts/${id}`);
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    await node(page, /Buffer Memory/).waitFor();
    await saved(page);
    expect(JSON.stringify(await drafts.read(id))).toContain('Theirs');
    await close();
  });

  it('of Live overwrite no other Live, and both are compared', async () => {
    const flowData = await chatCanvas(service);
    const { id } = await service.call<Made>('POST', '/chatflows', {
      name: 'At once',
      type: 'CHATFLOW',
      flowData,
      publishInstantly: true,
    });
    const live = async (): Promise<string> =>
      (await service.call<{ flowData: string }>('GET', `/chatflows/${id}`)).flowData;
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: [/409/] });
    await drop(page, /Buffer Memory/);
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await service.call('PUT', `/chatflows/${id}`, { flowData: await chatCanvas(service, 'Theirs') });
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('Somebody else changed Live').first().waitFor();
    expect(await live()).toContain('Theirs');
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('region', { name: 'What yours changes of theirs' })
      .getByText('Theirs', { exact: true })
      .waitFor();
    await axe(page);
    await shot(page, 'kept-live-conflict');
    await dialog.getByRole('button', { name: 'Take mine' }).click();
    await expect.poll(live).not.toContain('Theirs');
    expect(await live()).not.toContain('bufferMemory');
    await close();
  });

  it('of Live are refused when somebody saves it at the very moment', async () => {
    const flowData = await chatCanvas(service);
    const { id } = await service.call<Made>('POST', '/chatflows', {
      name: 'Race',
      type: 'CHATFLOW',
      flowData,
      publishInstantly: true,
    });
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: [/409/] });
    await drop(page, /Buffer Memory/);
    // Between the page's look at Live and its save, another save lands.
    let first = true;
    await page.route(`**/chatflows/${id}`, async (route) => {
      if (route.request().method() === 'PUT' && first) {
        first = false;
        await service.call('PUT', `/chatflows/${id}`, { flowData: await chatCanvas(service, 'Theirs') });
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save to Live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('Somebody else changed Live').first().waitFor();
    const { flowData: stands } = await service.call<{ flowData: string }>('GET', `/chatflows/${id}`);
    expect(stands).toContain('Theirs');
    await close();
  });
});
