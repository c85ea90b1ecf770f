/** Conversations, templates, usage and home, gone through by keyboard alone. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversation, makeFlow } from './canvases';
import { focused, missing, serviceForTests } from './harness';
import { tellUsage } from './usage-support';

/** Goes on by Tab, or back, until what has this name has the focus. */
async function tabTo(page: Page, wanted: string | RegExp, key = 'Tab'): Promise<void> {
  const fits = (name: string): boolean => (typeof wanted === 'string' ? name === wanted : wanted.test(name));
  for (let press = 0; press < 150; press += 1) {
    if (fits(await focused(page))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never came to ${String(wanted)}.`);
}

/** Opens the list of choices that has the focus, and takes the one after that which is chosen. */
async function takeNext(page: Page, name: string | RegExp): Promise<void> {
  await page.keyboard.press('Enter');
  const role = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('role') ?? null);
  await expect.poll(role).toBe('option');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toMatch(name);
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

describe.skipIf(missing)('by keyboard alone', () => {
  const { service, signedIn } = serviceForTests();

  beforeAll(async () => {
    if (missing) return;
    const shop = await makeFlow(service, 'Shop', await conversation(service, [{ reply: 'Hi' }]));
    await makeFlow(service, 'Idea', await conversation(service, [{ reply: 'Hi' }]), { publish: false });
    const liked = await service.call<{ chatId: string; chatMessageId: string }>(
      'POST',
      `/prediction/${shop}`,
      { question: 'What is good?' },
    );
    await service.call('POST', `/feedback/${shop}`, {
      chatflowid: shop,
      chatId: liked.chatId,
      messageId: liked.chatMessageId,
      rating: 'THUMBS_UP',
    });
    await service.call('POST', `/prediction/${shop}`, { question: 'What is bad?' });
  });

  it('conversations are filtered, read, kept for checks and deleted', async () => {
    const { page, close } = await signedIn('/conversations');
    const rows = page.getByRole('table', { name: 'Conversations' }).getByRole('rowheader');
    await expect.poll(() => rows.count()).toBe(2);
    await tabTo(page, 'Rating');
    await takeNext(page, 'Rated good');
    await expect.poll(() => rows.count()).toBe(1);
    // The list of choices has the focus again.
    await expect.poll(() => focused(page)).toBe('Rating');
    await tabTo(page, 'What is good?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What is good?' }).waitFor();
    await tabTo(page, 'Keep for checks');
    await page.keyboard.press('Enter');
    await page.getByText('The question is kept for checks of this flow').first().waitFor();
    await tabTo(page, 'Delete', 'Shift+Tab');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Delete this conversation?' });
    await question.getByText(/^It has 2 messages/).waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    // Escape changes nothing, and one is where one was.
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Delete');
    await page.keyboard.press('Enter');
    await question.getByText(/^It has 2 messages/).waitFor();
    await tabTo(page, 'Delete 1 conversation');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/conversations\?flow=/);
    await expect.poll(() => rows.count()).toBe(1);
    await close();
  });

  it('a template is found, looked at and used', async () => {
    const { page, close } = await signedIn('/templates');
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    await tabTo(page, 'Gallery');
    await page.keyboard.press('ArrowRight');
    await page.getByText('No templates of your own yet').waitFor();
    await expect.poll(() => focused(page)).toBe('Own and shared');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    await tabTo(page, 'Search templates');
    await page.keyboard.type('number code');
    await tabTo(page, 'Rules without a model');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rules without a model' });
    const name = dialog.getByRole('textbox', { name: 'Name of the flow' });
    await expect.poll(() => name.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tabTo(page, 'Rules without a model');
    await page.keyboard.press('Enter');
    await dialog.locator('[data-node]').first().waitFor();
    await expect.poll(() => name.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Orders by rules');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.locator('[data-node]').first().waitFor();
    await close();
  });

  it('usage is spanned, drawn otherwise, read as a table and followed to its conversations', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    await page.getByRole('img', { name: /questions from/ }).waitFor();
    await tabTo(page, 'Span');
    const span = page.getByRole('combobox', { name: 'Span' });
    await takeNext(page, /^Last 90 days/);
    await expect.poll(() => span.textContent()).toContain('Last 90 days');
    await expect.poll(() => focused(page)).toBe('Span');
    await tabTo(page, 'Questions');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toBe('Tokens');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /tokens from/ }).waitFor();
    await tabTo(page, 'As a table');
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'By day' }).waitFor();
    await tabTo(page, 'Support');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/conversations\?flow=f1/);
    await close();
  });

  it('home leads from a number and from what waits to what they count', async () => {
    const { page, close } = await signedIn('/home');
    await page.getByRole('region', { name: 'Numbers' }).getByRole('link').first().waitFor();
    await tabTo(page, /^\d+\s*Questions/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'What waits for you' }).getByRole('link').first().waitFor();
    await tabTo(page, /^\d+ flows? (was|were) never published$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    const flows = page.getByRole('table', { name: 'Flows' }).getByRole('rowheader');
    await flows.filter({ hasText: 'Idea' }).waitFor();
    expect(await flows.filter({ hasText: 'Shop' }).count()).toBe(0);
    await close();
  });
});
