/** Two tabs of one browser: what one keeps unsent is never lost to the other. */
import { describe, expect, it } from 'vitest';
import { chatCanvas, type Made } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';
import type { Page } from 'playwright-core';

describe.skipIf(missing)('two tabs', () => {
  const { service, signedIn } = serviceForTests();
  const node = (page: Page, name: RegExp) => page.locator('[data-node]').filter({ hasText: name });
  const places = (page: Page): Promise<string[]> =>
    page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('flowkeep.edit.')));

  /** Deletes a card, as soon as the canvas hears keys. */
  const drop = async (page: Page, name: RegExp): Promise<void> => {
    const card = node(page, name);
    await card.waitFor();
    const press = async (): Promise<number> => {
      if ((await card.count()) > 0) await card.press('Delete', { timeout: 500 }).catch(() => undefined);
      return card.count();
    };
    await expect.poll(press).toBe(0);
  };

  it('keep their edits apart, and those of a closed one are found', async () => {
    const flowData = await chatCanvas(service);
    const { id } = await service.call<Made>('POST', '/chatflows', {
      name: 'Apart',
      type: 'CHATFLOW',
      flowData,
    });
    const { page, close } = await signedIn(`/flows/${id}`, { allowed: [/503/] });
    const unsent = /flow-drafts\/[^/]+$/;
    await page
      .context()
      .route(unsent, (route) =>
        route.request().method() === 'PUT'
          ? route.fulfill({ status: 503, json: { message: 'Not now.' }, headers: { 'retry-after': '600' } })
          : route.continue(),
      );
    const other = await page.context().newPage();
    await other.goto(page.url());
    await drop(page, /Conversation Chain/);
    await drop(other, /Buffer Memory/);
    await expect.poll(() => places(page)).toHaveLength(2);
    await other.close();
    await expect
      .poll(() =>
        page.evaluate(
          () => Object.keys(localStorage).filter((name) => name.startsWith('flowkeep.tab.')).length,
        ),
      )
      .toBe(1);
    const third = await page.context().newPage();
    await third.goto(page.url());
    await third.getByText('You have edits that were never saved').waitFor();
    await axe(third);
    await shot(third, 'tabs-found');
    await third.getByRole('button', { name: 'Take them up' }).click();
    await node(third, /Buffer Memory/).waitFor({ state: 'detached' });
    // The first tab still has its own, at its own place.
    expect(await places(page)).toHaveLength(2);
    await node(third, /Conversation Chain/).waitFor();
    await node(page, /Buffer Memory/).waitFor();
    await page.context().unroute(unsent);
    await third.close();
    await close();
  });
});
