import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversation, Drawing, makeFlow, saveDraft } from './canvases';
import { axe, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('drafts and Publish', () => {
  const { service, signedIn } = serviceForTests();
  let drawing: Drawing;
  beforeAll(async () => {
    drawing = await conversation(service, [{ reply: 'One' }]);
  });

  const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true });
  const edited = async (id: string, prompt: string): Promise<void> => {
    drawing.node('conversationChain_0').data.inputs.systemMessagePrompt = prompt;
    await saveDraft(service, id, drawing);
  };

  it('publishes what it shows, and leads to the version', async () => {
    const id = await makeFlow(service, 'Fresh', drawing, { publish: false });
    const { page, close } = await signedIn(`/flows/${id}`);
    await chip(page, 'Never published').waitFor();
    // There is no Live that the draft could differ from.
    await page.getByText('Draft, never published').waitFor();
    expect(await page.getByText(/since Live/).count()).toBe(0);
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'What goes Live' }).waitFor();
    await dialog.getByText('This is the first time it goes Live.').waitFor();
    await dialog
      .getByText('The flow has 3 cards: Scripted Chat Model, Buffer Memory and Conversation Chain.')
      .waitFor();
    expect(await dialog.getByText('Added').count()).toBe(0);
    await axe(page);
    await shot(page, 'publish-first');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'View version' }).click();
    await page.waitForURL(/versions\?v=[0-9a-f]{40}/);
    await chip(page, 'Live').waitFor();

    await edited(id, 'Be brief.');
    await page.goto(`/flows/${id}`);
    await chip(page, 'Unpublished changes').waitFor();
    await publish(page).click();
    const words = dialog.getByRole('list', { name: 'What changed, in words' });
    await words
      .getByText('System Message of Conversation Chain is now “Be brief.” instead of “Be kind.”.')
      .waitFor();
    await dialog.getByText('Be kind.', { exact: true }).waitFor();
    await dialog.getByText('Be brief.', { exact: true }).waitFor();
    await shot(page, 'publish-change');
    await axe(page);
    await page.keyboard.press('Escape');
    await close();
  });

  it('tells an empty canvas that was never published from Live', async () => {
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', {
      name: 'Empty',
      type: 'CHATFLOW',
    });
    const { page, close } = await signedIn(`/flows/${id}`);
    const tools = page.getByRole('group', { name: 'Canvas tools' });
    await tools.getByText('Never published', { exact: true }).waitFor();
    expect(await tools.getByText('Live', { exact: true }).count()).toBe(0);
    await shot(page, 'publish-never');
    await close();
  });

  it('draws both canvases beside each other, with what changed marked', async () => {
    const id = await makeFlow(service, 'Drawn', drawing);
    await edited(id, 'Be drawn.');
    for (const width of [390, 1024, 1440]) {
      const { page, close } = await signedIn(`/flows/${id}`, { width, height: 900 });
      await publish(page).click();
      const dialog = page.getByRole('dialog');
      const both = dialog.getByRole('button', { name: 'Both canvases' });
      expect(await both.getAttribute('aria-expanded')).toBe('true');
      const drawn = dialog.locator('figure');
      await expect.poll(() => drawn.locator('.react-flow__node').count()).toBe(width < 768 ? 3 : 6);
      await drawn
        .last()
        .getByRole('button', { name: /Conversation Chain.*Changed/ })
        .waitFor();
      // Sentences first, then the canvases, then each change.
      const tops = await Promise.all(
        [
          dialog.getByRole('list', { name: 'What changed, in words' }),
          drawn.first(),
          dialog.getByText('Every change, with its values', { exact: true }),
        ].map(async (one) => (await one.boundingBox())?.y ?? 0),
      );
      expect(tops).toEqual([...tops].sort((a, b) => a - b));
      await shot(page, `publish-canvases-${width}`);
      await axe(page);
      await both.click();
      expect(await drawn.count()).toBe(0);
      expect(await both.getAttribute('aria-expanded')).toBe('false');
      await close();
    }
  });

  it('wants a tick before a stale draft replaces Live', async () => {
    const id = await makeFlow(service, 'Stale', drawing);
    await edited(id, 'From the draft.');
    drawing.node('conversationChain_0').data.inputs.systemMessagePrompt = 'From elsewhere.';
    await service.call('PUT', `/chatflows/${id}`, { flowData: drawing.text() });
    const { page, close } = await signedIn(`/flows/${id}`, { scheme: 'dark' });
    await chip(page, 'Draft out of date').waitFor();
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This draft is out of date').waitFor();
    const go = dialog.getByRole('button', { name: 'Publish' });
    expect(await go.isEnabled()).toBe(false);
    await shot(page, 'publish-stale');
    await axe(page);
    await dialog.getByRole('checkbox', { name: 'Replace the changes in Live' }).focus();
    await page.keyboard.press('Space');
    await go.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Published', { exact: true }).first().waitFor();
    await chip(page, 'Live').waitFor();
    await close();
  });

  it('says so when Live changed while the dialog was open, and compares again', async () => {
    const id = await makeFlow(service, 'Moving', drawing);
    await edited(id, 'Mine.');
    const { page, close } = await signedIn(`/flows/${id}`, { allowed: [/publish .*409/] });
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Mine.', { exact: true }).waitFor();
    drawing.node('conversationChain_0').data.inputs.systemMessagePrompt = 'Theirs.';
    await service.call('PUT', `/chatflows/${id}`, { flowData: drawing.text() });
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByRole('button', { name: 'Compare again' }).click();
    await dialog.getByText('Theirs.', { exact: true }).waitFor();
    // The sentences are of the same Live as the list below them.
    await dialog
      .getByRole('list', { name: 'What changed, in words' })
      .getByText('System Message of Conversation Chain is now “Mine.” instead of “Theirs.”.')
      .waitFor();
    await dialog.getByRole('checkbox', { name: 'Replace the changes in Live' }).waitFor();
    await close();
  });

  it('publishes no draft that was changed while the dialog was open, before it is looked at again', async () => {
    const id = await makeFlow(service, 'Redrafted', drawing);
    await edited(id, 'Looked at.');
    const { page, close } = await signedIn(`/flows/${id}`, { allowed: [/publish .*409/] });
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    const words = dialog.getByRole('list', { name: 'What changed, in words' });
    await words.getByText(/is now “Looked at\.”/).waitFor();
    await edited(id, 'Not looked at.');
    const go = dialog.getByRole('button', { name: 'Publish' });
    await go.click();
    await dialog.getByText('This draft was changed since you looked at it').waitFor();
    await dialog.getByText(/Saved last/).waitFor();
    expect(await go.isEnabled()).toBe(false);
    const live = await service.call<{ flowData: string }>('GET', `/chatflows/${id}`);
    expect(live.flowData).not.toContain('ooked at.');
    await shot(page, 'publish-redrafted');
    await axe(page);
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await words.getByText(/is now “Not looked at\.”/).waitFor();
    await go.click();
    await chip(page, 'Live').waitFor();
    await close();
  });

  it('saves what is being edited before it is tested or published', async () => {
    const id = await makeFlow(service, 'Edited', drawing);
    const { page, close } = await signedIn(`/flows/${id}`);
    await page.getByText('Edit JSON').click();
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+A');
    const edited = JSON.parse(drawing.text()) as {
      nodes: { id: string; data: { inputs: Record<string, unknown> } }[];
    };
    for (const { id, data } of edited.nodes) {
      if (id === 'conversationChain_0') data.inputs.systemMessagePrompt = 'Typed by hand.';
      if (id === 'chatScripted_0') data.inputs.rules = '[{"reply":"From the edit"}]';
    }
    await page.keyboard.insertText(JSON.stringify(edited));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Who?');
    await page.keyboard.press('Enter');
    await page.getByText('From the edit', { exact: true }).waitFor();
    await chip(page, 'Unpublished changes').waitFor();
    await publish(page).click();
    await page.getByRole('dialog').getByText('Typed by hand.').waitFor();
    await close();
  });

  it('shows the problems of the draft first', async () => {
    const id = await makeFlow(service, 'Broken', drawing);
    const broken = new Drawing(service);
    await broken.card('conversationChain');
    await saveDraft(service, id, broken);
    const { page, close } = await signedIn(`/flows/${id}`);
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^\d problems?$/).waitFor();
    await shot(page, 'publish-problems');
    await axe(page);
    await dialog.getByRole('button', { name: 'Conversation Chain' }).first().click();
    await page.waitForURL(/node=conversationChain_0/);
    await close();
  });

  it('leads from a problem to its card by keyboard, from another tab too', async () => {
    const id = await makeFlow(service, 'Led', drawing);
    const broken = new Drawing(service);
    await broken.card('conversationChain');
    await saveDraft(service, id, broken);
    const { page, close } = await signedIn(`/flows/${id}/versions`);
    await publish(page).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const problem = dialog.getByRole('button', { name: /^Conversation Chain: \S/ }).first();
    const said = ((await problem.textContent()) ?? '').replace('Conversation Chain: ', '');
    await problem.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL(/\/flows\/[^/]+\?node=conversationChain_0$/);
    // The focus goes along: into the panel of the card, or to the card while its panel is open already.
    const panel = page.getByRole('complementary', { name: 'Node' });
    await panel.getByText(said).first().waitFor();
    await panel.locator(':focus').waitFor();
    await publish(page).click();
    await problem.focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-node="conversationChain_0"]:focus').waitFor();
    await close();
  });

  it('discards a draft after asking, and compares it with Live', async () => {
    const id = await makeFlow(service, 'Gone', drawing);
    await edited(id, 'Never seen.');
    const { page, close } = await signedIn(`/flows/${id}`);
    const menu = page.getByRole('button', { name: 'More ways to publish' });
    await menu.click();
    await shot(page, 'publish-menu');
    await page.getByRole('menuitem', { name: 'Compare with Live' }).click();
    await page.getByRole('region', { name: 'What differs' }).getByText('Never seen.').waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Discard draft' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Lost with the draft: 1 changed.').waitFor();
    await axe(page);
    await dialog.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('The draft is discarded').first().waitFor();
    await chip(page, 'Live').waitFor();
    await close();
  });

  it('warns when Live could not be noted in the history', async () => {
    const id = await makeFlow(service, 'Unnoted', drawing);
    await edited(id, 'Not noted.');
    const { page, close } = await signedIn(`/flows/${id}`);
    await page.route('**/publish', async (route) => {
      const answer = await route.fetch();
      const told = (await answer.json()) as object;
      await route.fulfill({
        response: answer,
        json: { ...told, version: null, recorded: false, historyError: 'The disk is full.' },
      });
    });
    await publish(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByText('Published, but not recorded').waitFor();
    await dialog.getByText('The disk is full.').waitFor();
    await shot(page, 'publish-unrecorded');
    await axe(page);
    await close();
  });

  it('explains why a flow saves straight to Live', async () => {
    const id = await makeFlow(service, 'Quick', drawing);
    await service.call('PUT', `/flow-drafts/${id}/settings`, { publishInstantly: true });
    const { page, close } = await signedIn(`/flows/${id}`, { width: 390, height: 780 });
    await page.getByRole('button', { name: /^Straight to Live/ }).click();
    await page.getByText('Publish instantly is on for this flow').waitFor();
    expect(await publish(page).count()).toBe(0);
    await shot(page, 'publish-straight');
    await close();
  });
});
