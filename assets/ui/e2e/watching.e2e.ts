/** What the canvas says of a question under way, of what is wrong with it, and that what came from elsewhere is undone too. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { review, START, Steps } from './agentflows';
import { agent, conversation, makeFlow, reader, type Drawing } from './canvases';
import { draftsOf, enterCanvas, node, saved, undone } from './editor-support';
import { chatCanvas } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

const WIDTHS = [390, 1024, 1440];

describe.skipIf(missing)('the cards of a chatflow', () => {
  const { service, signedIn } = serviceForTests();
  const wide = { width: 1440, height: 900 };
  let counting: string;
  beforeAll(async () => {
    const drawing = await agent(service, [
      { after: 'tool', reply: 'It is {0}.', match: '.+', delayMs: 400 },
      { match: '^down', fail: { status: 500, message: 'The provider is down.' } },
      { match: '^plain', reply: 'Without any tool, word by word by word by word.', delayMs: 300 },
      { after: 'user', toolCalls: [{ name: 'calculator', arguments: { input: '6*7' } }] },
    ]);
    counting = await makeFlow(service, 'Counter', drawing);
  });

  const ask = async (page: Page, question: string): Promise<void> => {
    const composer = page.getByRole('textbox', { name: 'Message' });
    if ((await composer.count()) === 0) await page.getByRole('button', { name: 'Test', exact: true }).click();
    await composer.fill(question);
    await composer.press('Enter');
  };
  const flag = (page: Page, card: string, state: string) =>
    page.getByRole('button', { name: `${card}: ${state}. Show what it did` });

  it('light up while a question runs, and a tool only when it was called', async () => {
    const { page, close } = await signedIn(`/flows/${counting}`, wide);
    await node(page, /Calculator/).waitFor();
    await ask(page, 'plain');
    await flag(page, 'Tool Agent', 'Running').waitFor();
    await shot(page, 'watching-chat-running');
    await flag(page, 'Tool Agent', 'Finished').waitFor();
    await flag(page, 'Scripted Chat Model', 'Finished').waitFor();
    expect(await flag(page, 'Calculator', 'Finished').count()).toBe(0);
    await ask(page, 'count');
    await flag(page, 'Calculator', 'Finished').waitFor();
    await flag(page, 'Tool Agent', 'Finished').waitFor();
    // The model was asked before the tool was used, and after.
    const steps = page.locator('[data-turn]').last().locator('[data-step]');
    await expect.poll(() => steps.count()).toBe(4);
    const names = (await steps.allInnerTexts()).map((text) => /Agent|Model|Calculator/.exec(text)?.[0]);
    expect(names).toEqual(['Agent', 'Model', 'Calculator', 'Model']);
    await axe(page);
    await shot(page, 'watching-chat-tool');
    // The state of a card leads to what it did: it is open, and has the focus.
    await flag(page, 'Calculator', 'Finished').click();
    const used = steps.nth(2);
    await used.getByText('6*7').first().waitFor();
    await used.getByText('42').first().waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-step]')?.textContent))
      .toContain('Calculator');
    // What was sent to the model, what it read and wrote, and how long that took.
    await steps.nth(3).getByRole('button').first().click();
    await steps.nth(3).getByText('count').first().waitFor();
    await steps.nth(3).getByText('It is 42.').first().waitFor();
    expect(await steps.nth(3).innerText()).toMatch(/\d+ tokens?/);
    await axe(page);
    await shot(page, 'watching-chat-steps');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot(page, 'watching-chat-steps-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    // It goes with the conversation.
    await page.getByRole('button', { name: 'New conversation' }).click();
    await expect.poll(() => page.getByRole('button', { name: /Show what it did/ }).count()).toBe(0);
    await close();
  });

  it('say that they failed, and why', async () => {
    const { page, close } = await signedIn(`/flows/${counting}`, wide);
    await ask(page, 'down');
    await flag(page, 'Scripted Chat Model', 'Failed').waitFor();
    await page.locator('.react-flow').getByText('The provider is down').last().waitFor();
    await page.locator('[data-turn] [data-step]').getByText('The provider is down').first().waitFor();
    await axe(page);
    await shot(page, 'watching-chat-failed');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot(page, 'watching-chat-failed-dark');
    await close();
  });

  it('say that they were stopped', async () => {
    const { page, close } = await signedIn(`/flows/${counting}`, wide);
    await ask(page, 'plain');
    await flag(page, 'Scripted Chat Model', 'Running').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await flag(page, 'Scripted Chat Model', 'Stopped').waitFor();
    await flag(page, 'Tool Agent', 'Stopped').waitFor();
    await close();
  });

  it('that hold passages say what was looked for and what was found', async () => {
    const drawing = await reader(service, 'Parcels arrive on Monday.', 'parcels.txt');
    const id = await makeFlow(service, 'Reader', drawing);
    await service.call('POST', `/vector/internal-upsert/${id}`, {});
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await ask(page, 'When do parcels arrive?');
    await page.getByRole('button', { name: /Vector Store: Finished/ }).click();
    const found = page.locator('[data-step]').filter({ hasText: 'Vector Store' });
    await found.getByText('When do parcels arrive?').first().waitFor();
    await found
      .getByText(/^1 source$/)
      .first()
      .click();
    await found.getByText('parcels.txt').first().click();
    await found.getByText('Parcels arrive on Monday.').first().waitFor();
    await axe(page);
    await shot(page, 'watching-chat-passages');
    await close();
  });
});

describe.skipIf(missing)('problems of cards', () => {
  const { service, signedIn } = serviceForTests();

  /** A chain without its model, a card that names a variable nobody made, and one that is connected to nothing. */
  const faulty = async (): Promise<Drawing> => {
    const drawing = await conversation(service, [{ reply: 'Hi' }]);
    drawing.edges.splice(0, 1);
    drawing.node('conversationChain_0').data.inputs.model = '';
    drawing.node('bufferMemory_0').data.inputs.sessionId = '{{$vars.nobody}}';
    drawing.node(await drawing.card('calculator')).position = { x: 0, y: 480 };
    drawing.node('chatScripted_0').position = { x: 0, y: 200 };
    return drawing;
  };

  it('are told with how grave they are, in words, at the card, in the list and in the outline', async () => {
    const id = await makeFlow(service, 'Faulty', await faulty(), { publish: false });
    for (const scheme of ['light', 'dark'] as const)
      for (const width of WIDTHS) {
        const { page, close } = await signedIn(`/flows/${id}?view=${width < 768 ? 'outline' : 'canvas'}`, {
          scheme,
          width,
          height: 900,
        });
        await node(page, /Conversation Chain/)
          .getByText('1 error')
          .waitFor();
        await node(page, /Calculator/)
          .getByText('1 hint')
          .waitFor();
        await node(page, /Buffer Memory/)
          .getByText('1 warning')
          .waitFor();
        await page.getByRole('button', { name: /^\d+ problems$/ }).click();
        const list = page.getByRole('dialog', { name: 'Problems' });
        for (const level of ['Keeps the flow from answering', 'Looks unfinished', 'Not in use'])
          await list.getByRole('region', { name: level }).waitFor();
        await axe(page);
        await shot(page, `watching-problems-${width}-${scheme}`);
        await close();
      }
  });
});

describe.skipIf(missing)('a canvas that came from elsewhere', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };
  const cards = (id: string) => async (): Promise<string> => (await drafts.names(id)).toSorted().join();

  it('and was pasted from an export is undone and done again', async () => {
    const id = await drafts.make('Imports', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await node(page, /Scripted/)
      .first()
      .waitFor();
    const exported = (await agent(service, [])).text();
    await undone(page, cards(id), async () => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), exported);
      await enterCanvas(page);
      await page.keyboard.press('ControlOrMeta+V');
      await node(page, /Tool Agent/).waitFor();
    });
    await close();
  });

  it('and was put in as a whole text is undone and done again on the canvas', async () => {
    const id = await drafts.make('Texts', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/)
      .first()
      .waitFor();
    const other = (await agent(service, [])).text();
    await undone(page, cards(id), async () => {
      await page.getByRole('radio', { name: 'Edit JSON' }).click();
      await page.getByRole('textbox', { name: /^JSON of/ }).fill(other);
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('radio', { name: 'Canvas' }).click();
      await node(page, /Tool Agent/).waitFor();
    });
    await close();
  });

  it('and was restored from a version is undone and done again', async () => {
    const first = await conversation(service, [{ reply: 'One' }]);
    const id = await makeFlow(service, 'Restored', first);
    const second = await agent(service, []);
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: second.text() });
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    // A draft of its own, so that undoing leads back to something that is stored.
    const third = await agent(service, []);
    third.node('calculator_0').position = { x: 40, y: 500 };
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: third.text() });
    const { versions } = await service.call<{ versions: { sha: string; kind: string }[] }>(
      'GET',
      `/flow-versions/${id}`,
    );
    const oldest = versions.findLast(({ kind }) => kind === 'publish');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Tool Agent/).waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page
      .locator(`a[href*="${oldest?.sha.slice(0, 7)}"]`)
      .first()
      .click();
    await page.getByRole('button', { name: 'Restore to draft' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore to draft' }).click();
    await page.getByText('The draft is now version').first().waitFor();
    await page.getByRole('link', { name: 'Editor' }).click();
    await node(page, /Conversation Chain/).waitFor();
    const text = cards(id);
    const restored = await text();
    expect(restored).toContain('conversationChain');
    await page.getByRole('button', { name: 'Undo' }).click();
    await node(page, /Tool Agent/).waitFor();
    await expect.poll(text).toContain('toolAgent');
    await saved(page);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(text).toBe(restored);
    await close();
  });
});

describe.skipIf(missing)('an agentflow', () => {
  const { service, signedIn } = serviceForTests();

  it('that was drawn with narrow cards elsewhere is drawn without one lying on another', async () => {
    const steps = new Steps()
      .card('directReplyAgentflow_0', 'Reply', { directReplyMessage: 'Hi' }, [140, 0])
      .edge(START, 'directReplyAgentflow_0');
    // As exports have it: a card says its type.
    const drawn = steps.text().replace('"label":"Start"', '"label":"Start","type":"Start"');
    const id = await draftsOf(service).make('Narrow', 'AGENTFLOW', drawn);
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900 });
    const start = await page.locator(`[data-id=${START}]`).boundingBox();
    const reply = await page.locator('[data-id=directReplyAgentflow_0]').boundingBox();
    expect((start?.x ?? 0) + (start?.width ?? 0)).toBeLessThan(reply?.x ?? 0);
    await close();
  });

  it('that was seen whole is seen whole beside the test chat too', async () => {
    const id = await review().flow(service, 'Whole', false);
    for (const width of [1024, 1440]) {
      const { page, close } = await signedIn(`/flows/${id}`, { width, height: 900 });
      await node(page, /Sent/).waitFor();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      const reaches = async (): Promise<boolean> => {
        const board = await page.locator('.react-flow').boundingBox();
        const card = await node(page, /Sent/).boundingBox();
        return board !== null && card !== null && card.x + card.width <= board.x + board.width;
      };
      await expect.poll(reaches).toBe(true);
      await shot(page, `watching-whole-${width}`);
      await close();
    }
  });

  it('that waits for a person on a narrow page shows what can be answered', async () => {
    const id = await review().flow(service, 'Asks', false);
    const { page, close } = await signedIn(`/flows/${id}`, { width: 390, height: 844 });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.keyboard.press('Enter');
    const proceed = page.getByRole('button', { name: 'Proceed', exact: true });
    await proceed.waitFor();
    const over = async (): Promise<boolean> => {
      const button = await proceed.boundingBox();
      const composer = await page.getByRole('textbox', { name: 'Message' }).boundingBox();
      return button !== null && composer !== null && button.y + button.height <= composer.y;
    };
    await expect.poll(over).toBe(true);
    // Who opens a step meanwhile is left with it.
    const first = page.getByRole('group', { name: 'Conversation' }).getByText('Writer', { exact: true });
    await first.click();
    await expect.poll(async () => (await first.boundingBox())?.y ?? 0).toBeGreaterThan(100);
    await axe(page);
    await shot(page, 'watching-narrow-asks');
    await close();
  });

  it('that is empty says on a narrow page where cards are put on it', async () => {
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', {
      name: 'Empty',
      type: 'AGENTFLOW',
    });
    const { page, close } = await signedIn(`/flows/${id}`, { width: 390, height: 844 });
    await page.getByText(/^Cards are put on the canvas in a wide window\./).waitFor();
    await axe(page);
    await close();
  });
});
