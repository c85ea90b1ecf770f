/** Edits outlive the session of their person, and nobody leaves them behind unasked. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chatCanvas, type Made } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('edits that are not sent', () => {
  const { service, signedIn } = serviceForTests();
  const make = async (name: string): Promise<string> => {
    const flowData = await chatCanvas(service);
    return (await service.call<Made>('POST', '/chatflows', { name, type: 'CHATFLOW', flowData })).id;
  };
  const place = async (id: string): Promise<unknown> => {
    const { draft } = await service.call<{ draft: { flowData: string } }>('GET', `/flow-drafts/${id}`);
    const { nodes } = JSON.parse(draft.flowData) as {
      nodes: { position: unknown; data: { name: string } }[];
    };
    return nodes.find((one) => one.data.name === 'conversationChain')?.position;
  };
  const nudge = async (page: Page): Promise<void> => {
    await page.locator('[data-node]').filter({ hasText: 'Conversation Chain' }).focus();
    await page.keyboard.press('ArrowDown');
  };

  it('are saved after a sign-in over the canvas when the session ended', async () => {
    const id = await make('Session');
    const { page, context, close } = await signedIn(`/flows/${id}`, { allowed: [/401/] });
    await page.locator('[data-node]').first().waitFor();
    await context.clearCookies();
    await nudge(page);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await axe(page);
    await shot(page, 'session-ended');
    await page.setViewportSize({ width: 390, height: 800 });
    await shot(page, 'session-ended-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(service.ownerEmail);
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(service.ownerPassword);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await place(id)).toEqual({ x: 420, y: 140 });
    expect(new URL(page.url()).pathname).toBe(`/flows/${id}`);
    await close();
  });

  it('are asked about before Back and before the tab closes', async () => {
    const id = await make('Leaving');
    const { page, close } = await signedIn('/', { allowed: [/500/] });
    await page.getByRole('link', { name: 'Leaving' }).click();
    await page.locator('[data-node]').first().waitFor();
    await page.route('**/flow-drafts/*', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
    );
    await nudge(page);
    await page.getByText('Your edits were not saved').waitFor();
    const dialog = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    const leave = async (): Promise<void> => {
      await page.evaluate(() => history.back());
      await dialog.waitFor();
    };
    await leave();
    await axe(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(new URL(page.url()).pathname).toBe(`/flows/${id}`);
    await page.locator('[data-node]').first().waitFor();

    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();

    await leave();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
    await close();
  });
});
