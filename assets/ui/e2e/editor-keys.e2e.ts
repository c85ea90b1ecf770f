/** Keys of the whole page of a flow, and what code is offered while it is typed. */
import { describe, expect, it } from 'vitest';
import { dock, draftsOf, node, panel, saved } from './editor-support';
import { chatCanvas, type Made } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('keys of a flow', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };

  it('save at once from everywhere, and ask before Live', async () => {
    const id = await drafts.make('Save now', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).click();
    const name = panel(page).getByLabel('Name of the card');
    await name.fill('Model');
    // The field that is typed into keeps the focus.
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('Draft saved', { exact: true }).waitFor();
    await expect.poll(async () => (await drafts.read(id)).nodes[0]?.data.label).toBe('Model');
    expect(await name.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.goto(`/flows/${id}/settings`);
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('Draft saved', { exact: true }).waitFor();

    const { id: live } = await service.call<Made>('POST', '/chatflows', {
      name: 'Live at once',
      type: 'CHATFLOW',
      flowData: await chatCanvas(service),
      publishInstantly: true,
    });
    await page.goto(`/flows/${live}`);
    await node(page, /Buffer Memory/).focus();
    await page.keyboard.press('ControlOrMeta+S');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await page.keyboard.press('Delete');
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    const asking = page.getByRole('alertdialog');
    await asking.getByText('Everybody who asks this flow gets what you changed at once.').waitFor();
    await asking.getByRole('button', { name: 'Save to Live' }).click();
    await saved(page);
    await close();
  });

  it('test the flow, rename a card, and stand in the list of keys', async () => {
    const id = await drafts.make('Named', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Buffer Memory/).focus();
    await page.keyboard.press('F2');
    await panel(page).getByText('bufferMemory_0').waitFor();
    await page.keyboard.type('What was said');
    await page.keyboard.press('Escape');
    await node(page, /What was said/).waitFor();
    await expect
      .poll(async () => (await drafts.read(id)).nodes.map((one) => one.data.label))
      .toContain('What was said');
    // Again, while its panel is open: the name is chosen to be typed over.
    await page.keyboard.press('Enter');
    await panel(page).getByText('bufferMemory_0').waitFor();
    await panel(page).getByRole('button', { name: 'Connect to' }).focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('Memory');
    await expect
      .poll(async () => (await drafts.read(id)).nodes.map((one) => one.data.label))
      .toContain('Memory');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+Enter');
    const chat = page.getByRole('complementary', { name: 'Test chat' });
    await expect.poll(() => focused(page)).toMatch(/question|message|Ask/i);
    await node(page, /Memory/)
      .first()
      .focus();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => chat.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await page.keyboard.type('you');
    await page.keyboard.press('Enter');
    await chat.getByText('Hello you', { exact: true }).waitFor();
    await node(page, /Memory/)
      .first()
      .focus();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const [group, lines] of Object.entries({
      Flow: ['Save now', 'Test this flow'],
      Canvas: ['Add a card', 'Rename the card', 'Cut', 'Paste', 'Take the group apart'],
      'Places and view': ['Move the card far', 'Go to the next card', 'Full size', 'Zoom in', 'Tidy up'],
    }))
      for (const line of lines)
        await list
          .getByRole('region', { name: group, exact: true })
          .getByText(line, { exact: true })
          .waitFor();
    await axe(page);
    await shot(page, 'keys-list');
    await close();
  });

  it('are followed by names with their types where code is written', async () => {
    const id = await drafts.make('Typed', 'AGENTFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 1000 });
    await dock(page).locator('[data-card=startAgentflow]').click();
    await panel(page).getByRole('button', { name: 'Add to Flow State' }).click();
    await panel(page).locator('[data-param=key] :is(textarea, input)').fill('cart');
    await panel(page).locator('[data-param=value] :is(textarea, input)').fill('["apple"]');
    await dock(page).locator('[data-card=customFunctionAgentflow]').click();
    await panel(page).getByText('customFunctionAgentflow_0').waitFor();
    await panel(page).getByRole('button', { name: 'Add to Input Variables' }).click();
    await panel(page).locator('[data-param=variableName] :is(textarea, input)').fill('limit');
    await panel(page).locator('[data-param=variableValue] :is(textarea, input)').first().fill('{"most": 3}');
    const code = panel(page).locator('.cm-content').first();
    await code.click();
    await page.keyboard.type('return $');
    const offers = page.getByRole('listbox');
    await offers.getByRole('option', { name: /\$limit.*object/ }).waitFor();
    await offers.getByRole('option', { name: /\$flow\.input.*string/ }).waitFor();
    await offers.getByRole('option', { name: /\$flow\.state\.cart.*list/ }).waitFor();
    await axe(page);
    await shot(page, 'keys-code');
    await page.keyboard.type('flow.state.c');
    await page.keyboard.press('Enter');
    await expect.poll(() => code.textContent()).toContain('$flow.state.cart');
    await close();
  });
});
