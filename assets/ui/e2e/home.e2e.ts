/** What somebody in charge sees first: what happened, what waits, and the way from an empty server to a flow in use. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, Steps, fails } from './agentflows';
import { conversation, makeFlow } from './canvases';
import { axe, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

describe.skipIf(missing)('home', () => {
  const { service, signedIn } = serviceForTests();

  it('leads from an empty server to a first flow', async () => {
    const { page, close } = await signedIn('/home');
    await page.getByText('0 of 6 are done.').waitFor();
    await axe(page);
    await shot(page, 'home-empty');
    await page.getByRole('link', { name: 'Make a flow' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await close();
  });

  describe('of a server in use', () => {
    beforeAll(async () => {
      if (missing) return;
      const shop = await makeFlow(service, 'Shop', await conversation(service, [{ reply: 'Hi' }]));
      await makeFlow(service, 'Idea', await conversation(service, [{ reply: 'Hi' }]), { publish: false });
      for (const question of ['One', 'Two', 'Three'])
        await service.call('POST', `/prediction/${shop}`, { question });
      const answered = await service.call<{ chatId: string; chatMessageId: string }>(
        'POST',
        `/prediction/${shop}`,
        { question: 'Four' },
      );
      await service.call('POST', `/feedback/${shop}`, {
        chatflowid: shop,
        chatId: answered.chatId,
        messageId: answered.chatMessageId,
        rating: 'THUMBS_DOWN',
      });
      const broken = await new Steps()
        .card('llmAgentflow_0', 'Writer', fails('The provider is away.'))
        .edge('startAgentflow_0', 'llmAgentflow_0')
        .flow(service, 'Broken');
      await ask(service, broken, 'Anything');
    });

    beforeAll(async () => {
      if (missing) return;
      const { id } = await service.call<{ id: string }>('POST', '/document-store/store', { name: 'Prices' });
      const loader = await service.call<{ id: string }>('POST', '/document-store/loader/save', {
        storeId: id,
        loaderId: 'plainText',
        loaderName: 'prices.txt',
        loaderConfig: { text: 'Parcels are free.' },
      });
      await service.call('POST', `/document-store/loader/process/${loader.id}`, { storeId: id });
      await service.call('POST', '/document-store/vectorstore/save', {
        storeId: id,
        embeddingName: 'hashingEmbeddings',
        embeddingConfig: {},
      });
    });

    it('says what happened and what waits, and every number leads to what it counts', async () => {
      const { page, close } = await signedIn('/home');
      const numbers = page.getByRole('region', { name: 'Numbers' });
      const fact = (name: RegExp) => numbers.getByRole('link', { name }).first();
      await fact(/^5\s*Questions/).waitFor();
      await fact(/^1\s*Failed/).waitFor();
      await fact(/^[\d.]+ (ms|s)\s*Median time/).waitFor();
      await numbers.getByRole('img', { name: /questions from/ }).waitFor();
      const matters = page.getByRole('region', { name: 'What waits for you' });
      await matters.getByRole('link', { name: '1 run failed since yesterday' }).waitFor();
      await matters.getByRole('link', { name: '1 flow was never published' }).waitFor();
      await matters.getByRole('link', { name: /^“Prices” was not filled since its embeddings/ }).waitFor();
      const busiest = page.getByRole('table', { name: 'Asked most' });
      expect(await busiest.getByRole('rowheader').allTextContents()).toEqual(['Shop', 'Broken']);
      const failing = page.getByRole('table', { name: 'Failed most' });
      expect(await failing.getByRole('rowheader').allTextContents()).toEqual(['Broken']);
      // The chart is a table too, the newest day first.
      await numbers.getByText('Questions by day', { exact: true }).first().click();
      const days = numbers.getByRole('table', { name: 'Questions by day' }).getByRole('row');
      expect(await days.nth(1).textContent()).toMatch(/51$/);
      const server = page.getByRole('region', { name: 'Server' });
      await server.getByText('No repository is connected.').waitFor();
      await server.getByText(/taken, .* free$/).waitFor();
      // It is in use: nobody needs to be told how to begin.
      expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
      await axe(page);
      await shot(page, 'home');
      await fact(/^1\s*Rated bad/).click();
      await expect
        .poll(() => page.getByRole('table', { name: 'Conversations' }).getByRole('rowheader').count())
        .toBe(1);
      await page.goto('/home');
      await matters.getByRole('link', { name: '1 flow was never published' }).click();
      const flows = page.getByRole('table', { name: 'Flows' }).getByRole('rowheader');
      await expect.poll(() => flows.allTextContents()).toEqual(['Idea, Chatflow']);
      await page.goto('/home');
      await matters.getByRole('link', { name: '1 run failed since yesterday' }).click();
      await page.getByRole('link', { name: 'Broken', exact: true }).waitFor();
      await close();
    });

    it('is readable at every width in both themes', async () => {
      for (const look of LOOKS) {
        const { page, close } = await signedIn('/home', look);
        await page.getByRole('table', { name: 'Asked most' }).waitFor();
        await shot(page, `home-${look.width}-${look.scheme}`);
        expect(await overflows(page)).toBe(false);
        await close();
      }
    }, 60_000);
  });
});
