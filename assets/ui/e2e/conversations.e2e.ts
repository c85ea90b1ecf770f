/** What people asked of a flow: found, read as it was seen, kept, taken along as a file, and deleted. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { agent, conversation, makeFlow } from './canvases';
import { axe, missing, serviceForTests, shot } from './harness';

interface Answered {
  chatId: string;
  chatMessageId: string;
}

const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [390, 1024, 1440].map((width) => ({ scheme, width, height: 900 })),
);

describe.skipIf(missing)('conversations', () => {
  const { service, signedIn } = serviceForTests();
  let shop: string;
  let liked: Answered;

  const ask = (flow: string, question: string, chatId?: string): Promise<Answered> =>
    service.call('POST', `/prediction/${flow}`, { question, ...(chatId ? { chatId } : {}) });
  const rows = (page: Page) => page.getByRole('table', { name: 'Conversations' }).getByRole('rowheader');
  const count = async (flow: string): Promise<number> =>
    (await service.call<{ total: number }>('GET', `/conversations/${flow}?page=1&limit=1`)).total;

  it('are none where no flow is, and none of a flow that nobody asked', async () => {
    const { page, close } = await signedIn('/conversations');
    await page.getByText('No flows yet').first().waitFor();
    await axe(page);
    const id = await makeFlow(service, 'Silent', await conversation(service, [{ reply: 'Hi' }]));
    await page.goto(`/conversations?flow=${id}`);
    await page.getByText('No conversations yet').waitFor();
    await axe(page);
    await shot(page, 'conversations-empty');
    await close();
  });

  it('name the visitor who left a lead', async () => {
    const id = await makeFlow(service, 'Desk', await conversation(service, [{ reply: 'Hi' }]));
    const lead = { chatflowid: id, name: 'Ada Lovelace', phone: '555 0199' };
    const { chatId, sessionToken } = await service.call<{ chatId: string; sessionToken: string }>(
      'POST',
      '/leads',
      lead,
    );
    await service.call('POST', `/prediction/${id}`, { question: 'Hello', chatId, sessionToken });
    const { page, close } = await signedIn(`/conversations?flow=${id}`);
    await rows(page).filter({ hasText: 'Hello' }).getByText('Ada Lovelace').waitFor();
    await axe(page);
    await close();
  });

  describe('of a shop', () => {
    beforeAll(async () => {
      shop = await makeFlow(
        service,
        'Shop',
        await agent(service, [
          { after: 'tool', reply: 'It is **{0}** euros.', match: '.+' },
          { after: 'user', toolCalls: [{ name: 'calculator', arguments: { input: '6*7' } }] },
        ]),
      );
      liked = await ask(shop, 'What do six parcels cost?');
      await service.call('POST', `/feedback/${shop}`, {
        chatflowid: shop,
        chatId: liked.chatId,
        messageId: liked.chatMessageId,
        rating: 'THUMBS_UP',
        content: 'Quick and right.',
      });
      await ask(shop, '=SUM(1,2) is what?');
      await service.call('POST', `/internal-prediction/${shop}`, { question: 'Only a test' });
    });

    it('are listed, the newest first, and filtered by what stands in the address', async () => {
      const { page, close } = await signedIn(`/conversations?flow=${shop}`);
      await expect.poll(() => rows(page).count()).toBe(3);
      await page.getByText(/^6 messages in 3 conversations/).waitFor();
      expect(await rows(page).first().textContent()).toContain('Only a test');
      await axe(page);
      await page.getByRole('combobox', { name: 'Rating' }).click();
      await page.getByRole('option', { name: 'Rated good' }).click();
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(page.url()).toContain('rating=THUMBS_UP');
      await page.reload();
      await expect.poll(() => rows(page).count()).toBe(1);
      await page.goto(`/conversations?flow=${shop}&source=INTERNAL`);
      await expect.poll(() => rows(page).count()).toBe(1);
      await page.goto(`/conversations?flow=${shop}&since=2001-01-01&until=2001-01-02`);
      await page.getByText('Nothing found').first().waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await expect.poll(() => rows(page).count()).toBe(3);
      await close();
    });

    it('are read as they were seen, and a question is kept for checks', async () => {
      const { page, close } = await signedIn(`/conversations?flow=${shop}`);
      await page.getByRole('link', { name: 'What do six parcels cost?' }).click();
      await page.getByRole('heading', { level: 1, name: 'What do six parcels cost?' }).waitFor();
      const answer = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').nth(1);
      await answer.locator('strong').filter({ hasText: '42' }).waitFor();
      await answer.getByText('1 tool used').click();
      await answer.locator('summary').filter({ hasText: 'calculator' }).click();
      await answer.getByText('6*7').waitFor();
      await answer.getByText('Quick and right.').waitFor();
      await answer.getByRole('link', { name: /^version [0-9a-f]{7}$/ }).waitFor();
      await axe(page);
      await shot(page, 'conversation');
      await page.getByRole('button', { name: 'Keep for checks' }).click();
      await page.getByText('The question is kept for checks of this flow').first().waitFor();
      await answer.getByRole('link', { name: /^version/ }).click();
      await page.waitForURL(/versions\?v=/);
      await close();
    });

    it('go along as files, in which nothing is a formula', async () => {
      const { page, close } = await signedIn(`/conversations?flow=${shop}&source=EXTERNAL`);
      await expect.poll(() => rows(page).count()).toBe(2);
      const save = async (name: string): Promise<string> => {
        const file = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name }).click();
        return readFileSync(await (await file).path(), 'utf8');
      };
      const told = JSON.parse(await save('Conversations (JSON)')) as { messages: unknown[] }[];
      expect(told.map(({ messages }) => messages.length)).toEqual([2, 2]);
      const table = await save('Table (CSV)');
      expect(table).toContain(`"'=SUM(1,2) is what?"`);
      expect(table).not.toContain('Only a test');
      await close();
    });

    it('are readable at every width in both themes', async () => {
      for (const look of LOOKS) {
        const { page, close } = await signedIn(`/conversations?flow=${shop}`, look);
        await expect.poll(() => rows(page).count()).toBe(3);
        await shot(page, `conversations-${look.width}-${look.scheme}`);
        await page.goto(`/conversations/${shop}/${liked.chatId}`);
        await page.getByText('Quick and right.').waitFor();
        await axe(page);
        await shot(page, `conversation-${look.width}-${look.scheme}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect(wide, `at ${look.width}`).toBe(false);
        await close();
      }
    }, 120_000);

    it('are deleted once it was said how many messages go', async () => {
      const { page, close } = await signedIn(`/conversations/${shop}/${liked.chatId}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText(/^It has 2 messages/).waitFor();
      await axe(page);
      await dialog.getByRole('button', { name: 'Delete 2 messages' }).click();
      await expect.poll(() => rows(page).count()).toBe(2);
      await page.goto(`/conversations?flow=${shop}&source=INTERNAL`);
      await page.getByRole('button', { name: 'Delete these' }).click();
      await dialog.getByText(/^2 messages fit the filters/).waitFor();
      await shot(page, 'conversations-delete');
      await dialog.getByRole('button', { name: 'Delete 2 messages' }).click();
      await expect.poll(() => count(shop)).toBe(1);
      await page.goto(`/conversations/${shop}/${liked.chatId}`);
      await page.getByText('This conversation is not there any more').waitFor();
      await close();
    });
  });
});
