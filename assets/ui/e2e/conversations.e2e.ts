/** What people asked of a flow: found, read as it was seen, kept, taken along as a file, and deleted. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask as askRun, review, says, START, Steps } from './agentflows';
import { agent, conversation, makeFlow, saveDraft } from './canvases';
import { axe, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

interface Answered {
  chatId: string;
  chatMessageId: string;
  sessionToken: string;
}

describe.skipIf(missing)('conversations', () => {
  const { service, signedIn } = serviceForTests();
  let shop: string;
  let liked: Answered;

  /** Asks in a new conversation, or goes on with the one that was answered before. */
  const ask = (flow: string, question: string, before?: Answered): Promise<Answered> =>
    service.call('POST', `/prediction/${flow}`, {
      question,
      ...(before ? { chatId: before.chatId, sessionToken: before.sessionToken } : {}),
    });
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

  it('of a flow are reached from its page', async () => {
    const id = await makeFlow(service, 'Reached', await conversation(service, [{ reply: 'Hi' }]));
    await ask(id, 'Is anybody there?');
    const { page, close } = await signedIn(`/flows/${id}`);
    const parts = page.getByRole('navigation', { name: 'Parts of the flow' });
    await parts.getByRole('link', { name: 'Conversations' }).click();
    await page.waitForURL(`**/conversations?flow=${id}`);
    await rows(page).filter({ hasText: 'Is anybody there?' }).waitFor();
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
    // Those who left something have a list of their own, over all flows.
    await page.getByRole('tab', { name: 'Visitors' }).click();
    const visitors = page.getByRole('table', { name: 'Visitors' }).getByRole('rowheader');
    await expect.poll(() => visitors.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search visitors' }).fill('nobody of that name');
    await page.getByText('Nothing found').first().waitFor();
    await page.goto('/conversations?tab=visitors&q=ada%20desk');
    await visitors.getByText('Ada Lovelace').waitFor();
    await page.getByText('555 0199').waitFor();
    await axe(page);
    await shot(page, 'conversations-visitors');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Visitors (CSV)' }).click();
    expect(readFileSync(await (await file).path(), 'utf8')).toMatch(/,Desk,Ada Lovelace,,555 0199,/);
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
    await close();
  });

  it('and visitors are gone through by arrows: the tabs keep the focus', async () => {
    const { page, close } = await signedIn('/conversations');
    const here = (name: string): Promise<void> =>
      page.getByRole('tab', { name, selected: true }).and(page.locator(':focus')).waitFor();
    await page.getByRole('tab', { name: 'Conversations' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/conversations?tab=visitors');
    await page.getByRole('searchbox', { name: 'Search visitors' }).waitFor();
    await here('Visitors');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('searchbox', { name: 'Search visitors' }).waitFor({ state: 'detached' });
    await here('Conversations');
    await close();
  });

  it('go through many visitors a page at a time', async () => {
    const id = await makeFlow(service, 'Fair', await conversation(service, [{ reply: 'Hi' }]));
    for (let at = 0; at < 30; at += 1)
      await service.call('POST', '/leads', { chatflowid: id, name: at ? `Visitor ${at}` : 'The very first' });
    const { page, close } = await signedIn(`/conversations?tab=visitors&flow=${id}`);
    const visitors = page.getByRole('table', { name: 'Visitors' }).getByRole('rowheader');
    await expect.poll(() => visitors.count()).toBe(25);
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => visitors.count()).toBe(5);
    await visitors.getByText('The very first').waitFor();
    await page.getByRole('link', { name: 'Newest' }).click();
    await visitors.getByText('Visitor 29', { exact: true }).waitFor();
    // A search goes through all of them, whatever page is in view.
    await page.getByRole('searchbox', { name: 'Search visitors' }).fill('very first');
    await visitors.getByText('The very first').waitFor();
    expect(await visitors.count()).toBe(1);
    await close();
  });

  it('of all flows are one list, a page at a time, in the order in which they went on', async () => {
    const [first, second] = [
      await makeFlow(service, 'North', await conversation(service, [{ reply: 'Hi' }])),
      await makeFlow(service, 'South', await conversation(service, [{ reply: 'Hi' }])),
    ];
    const names = Array.from({ length: 28 }, (_, at) => `Question ${String(at + 1).padStart(2, '0')}`);
    for (const [at, name] of names.entries()) await ask(at % 2 ? first : second, name);
    const { page, close } = await signedIn('/conversations?source=EXTERNAL');
    await expect.poll(() => rows(page).count()).toBe(25);
    expect(await rows(page).first().textContent()).toBe('Question 28North');
    expect(await rows(page).nth(1).textContent()).toBe('Question 27South');
    await axe(page);
    await shot(page, 'conversations-all');
    await page.getByRole('link', { name: 'Next page' }).click();
    await rows(page).filter({ hasText: 'Question 03' }).waitFor();
    expect(await rows(page).first().textContent()).toBe('Question 03South');
    await page.getByRole('combobox', { name: 'Flow' }).click();
    await page.getByRole('option', { name: 'South' }).click();
    await expect.poll(() => rows(page).count()).toBe(14);
    await close();
  });

  it('are asked again in the draft: the question is there, and the person sends it', async () => {
    const id = await makeFlow(service, 'Twice', await conversation(service, [{ reply: 'Said twice' }]));
    const { chatId } = await ask(id, 'Say it once');
    const { page, close } = await signedIn(`/conversations/${id}/${chatId}`);
    await page.getByRole('link', { name: 'Ask again in the test chat' }).click();
    await page.waitForURL(`**/flows/${id}`);
    const message = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => message.inputValue()).toBe('Say it once');
    await page.locator('[data-node]').first().waitFor();
    await axe(page);
    await shot(page, 'conversation-again');
    await message.press('Enter');
    await page.getByText('Said twice').waitFor();
    await expect.poll(() => message.inputValue()).toBe('');
    await close();
  });

  it('show the steps of an answer in its place, how long it took, and what a person is asked', async () => {
    const flow = await review().flow(service, 'Review');
    await askRun(service, flow, 'Shall the parcel go?');
    const { page, close } = await signedIn(`/conversations?flow=${flow}`);
    await page.getByRole('link', { name: 'Shall the parcel go?' }).click();
    const answer = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').nth(1);
    await answer.getByText('Ask the boss waits for you').waitFor();
    await answer.getByText('Proceed', { exact: true }).waitFor();
    await answer.getByRole('button', { name: 'Steps', exact: true }).click();
    const steps = answer.getByRole('list', { name: /^\d+ steps$/ });
    await steps
      .getByRole('button', { name: /Writer/ })
      .first()
      .click();
    await steps.getByText('A short draft about parcels.').first().waitFor();
    await axe(page);
    await shot(page, 'conversation-steps');
    const plain = await new Steps()
      .card('llmAgentflow_0', 'Writer', says('Written.', 50))
      .edge(START, 'llmAgentflow_0')
      .flow(service, 'Written');
    await askRun(service, plain, 'Write it');
    await page.goto(`/conversations?flow=${plain}`);
    await page.getByRole('link', { name: 'Write it' }).click();
    await answer.getByText(/^\d+(\.\d)? m?s$/).waitFor();
    await close();
  });

  it('with an answer that was stopped are found by that', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
    const id = await makeFlow(
      service,
      'Long',
      await conversation(service, [{ match: '^Tell', reply: words, delayMs: 150 }, { reply: 'Hi' }]),
    );
    await ask(id, 'Told to the end');
    // Only in a conversation that is known can an answer be stopped.
    const { chatId, sessionToken } = await ask(id, 'Be brief');
    const answer = await fetch(`${service.baseUrl}/api/v1/prediction/${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'Tell me all', chatId, sessionToken, streaming: true }),
    });
    let told = '';
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const begun = told.includes('word3');
      told += new TextDecoder().decode(piece);
      if (!begun && told.includes('word3')) await service.call('PUT', `/chatmessage/abort/${id}/${chatId}`);
    }
    const { page, close } = await signedIn(`/conversations?flow=${id}`);
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Stopped before the end' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(page.url()).toContain('stopped=true');
    await page.reload();
    await rows(page).getByText('Be brief').waitFor();
    await axe(page);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Conversations (JSON)' }).click();
    const kept = JSON.parse(readFileSync(await (await file).path(), 'utf8')) as { id: string }[];
    expect(kept.map((one) => one.id)).toEqual([chatId]);
    await page.getByRole('link', { name: 'Be brief' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await close();
  });

  it('show the questions that were offered, and pictures as pictures', async () => {
    const id = await makeFlow(service, 'Offers', await conversation(service, [{ reply: 'Hi' }]));
    const { chatId } = await ask(id, 'What is this?');
    const told = await service.call<Record<string, unknown>[]>('GET', `/chatmessage/${id}?chatId=${chatId}`);
    const { page, close } = await signedIn('/conversations', { allowed: [/get-upload-file/] });
    // A flow that makes pictures or offers questions needs a real model: its messages are put in its place.
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.route('**/api/v1/get-upload-file**', (route) =>
      route.fulfill({ body: pixel, contentType: 'image/png' }),
    );
    await page.route(`**/api/v1/chatmessage/${id}**`, (route) =>
      route.fulfill({
        json: told.map((one) =>
          one.role === 'userMessage'
            ? {
                ...one,
                fileUploads: [{ type: 'file', name: 'cat.png', mime: 'image/png', fileName: 'a.png' }],
              }
            : { ...one, followUpPrompts: '["How much is it?"]' },
        ),
      }),
    );
    await page.goto(`/conversations/${id}/${chatId}`);
    const picture = page.getByRole('img', { name: 'cat.png' });
    await expect.poll(() => picture.evaluate((at: HTMLImageElement) => at.naturalWidth)).toBe(1);
    const offered = page.getByRole('list', { name: 'Questions that were offered' });
    await axe(page);
    await offered.getByRole('link', { name: 'How much is it?' }).click();
    await page.waitForURL(`**/flows/${id}`);
    const message = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => message.inputValue()).toBe('How much is it?');
    await close();
  });

  it('of all flows are deleted by words, and those of one version by that', async () => {
    const [east, west] = [
      await makeFlow(service, 'East', await conversation(service, [{ reply: 'Hi' }])),
      await makeFlow(service, 'West', await conversation(service, [{ reply: 'Hi' }])),
    ];
    const said = await ask(east, 'Where is the zeppelin?');
    await ask(east, 'And when?', said);
    await ask(west, 'A zeppelin, please');
    const kept = await ask(west, 'Nothing else');
    const { page, close } = await signedIn('/conversations');
    const remove = page.getByRole('button', { name: 'Delete these' });
    const dialog = page.getByRole('alertdialog');
    const asks = (name: string): Promise<void> => page.getByRole('alertdialog', { name }).waitFor();
    await rows(page).filter({ hasText: 'Nothing else' }).waitFor();
    // Without a filter there is nothing to delete by.
    expect(await remove.count()).toBe(0);
    await page.goto('/conversations?q=zeppelin');
    await expect.poll(() => rows(page).count()).toBe(2);
    await remove.click();
    await asks('Delete 2 conversations with 6 messages?');
    await dialog.getByText('All flows of this workspace are meant.').waitFor();
    await axe(page);
    await shot(page, 'conversations-delete-all');
    await dialog.getByRole('button', { name: 'Delete 2 conversations' }).click();
    await page.getByText('Nothing found').first().waitFor();
    expect([await count(east), await count(west)]).toEqual([0, 1]);
    await saveDraft(service, west, await conversation(service, [{ reply: 'Good day' }]));
    await service.call('POST', `/flow-drafts/${west}/publish`, {});
    await ask(west, 'Asked of the next one');
    await page.goto(`/conversations/${west}/${kept.chatId}`);
    await page.getByRole('link', { name: 'Conversations of this version' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await remove.click();
    await asks('Delete 1 conversation with 2 messages?');
    await dialog.getByRole('button', { name: 'Delete 1 conversation' }).click();
    await page.getByText('Nothing found').first().waitFor();
    await page.goto(`/conversations?flow=${west}`);
    await rows(page).getByText('Asked of the next one').waitFor();
    expect(await rows(page).count()).toBe(1);
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

    it('go along one by one, and by words too', async () => {
      const { page, close } = await signedIn(`/conversations/${shop}/${liked.chatId}`);
      const save = async (name: string): Promise<string> => {
        const file = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name }).click();
        return readFileSync(await (await file).path(), 'utf8');
      };
      const idsOf = (text: string): string[] => (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
      expect(idsOf(await save('Conversations (JSON)'))).toEqual([liked.chatId]);
      expect(await save('Table (CSV)')).toContain('What do six parcels cost?');
      await page.goto(`/conversations?flow=${shop}&q=six%20parcels`);
      await expect.poll(() => rows(page).count()).toBe(1);
      await page.getByText(/^1 messages in 1 conversations/).waitFor();
      expect(idsOf(await save('Message export of the flow, as in Flowise (JSON)'))).toEqual([liked.chatId]);
      // Over all flows, only those are asked for that have something of it.
      await page.goto('/conversations?q=six%20parcels');
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(idsOf(await save('Conversations (JSON)'))).toEqual([liked.chatId]);
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
        const wide = await overflows(page);
        expect(wide, `at ${look.width}`).toBe(false);
        await close();
      }
    }, 120_000);

    it('are deleted once it was said how many go', async () => {
      const { page, close } = await signedIn(`/conversations/${shop}/${liked.chatId}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText(/^It has 2 messages/).waitFor();
      await axe(page);
      await dialog.getByRole('button', { name: 'Delete 1 conversation' }).click();
      await expect.poll(() => rows(page).count()).toBe(2);
      await page.goto(`/conversations?flow=${shop}&source=INTERNAL`);
      await page.getByRole('button', { name: 'Delete these' }).click();
      await page.getByRole('alertdialog', { name: 'Delete 1 conversation with 2 messages?' }).waitFor();
      await shot(page, 'conversations-delete');
      await dialog.getByRole('button', { name: 'Delete 1 conversation' }).click();
      await expect.poll(() => count(shop)).toBe(1);
      await page.goto(`/conversations?flow=${shop}&q=SUM`);
      await page.getByRole('button', { name: 'Delete these' }).click();
      await dialog.getByRole('button', { name: 'Delete 1 conversation' }).click();
      await expect.poll(() => rows(page).count()).toBe(0);
      await page.goto(`/conversations/${shop}/${liked.chatId}`);
      await page.getByText('This conversation is not there any more').waitFor();
      await close();
    });
  });
});
