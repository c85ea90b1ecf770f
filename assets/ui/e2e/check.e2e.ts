import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { conversation, makeFlow, saveDraft, type Rule } from './canvases';
import { START, Steps, says } from './agentflows';
import { axe, missing, overflows, serviceForTests, shot } from './harness';

const PRICE = 'How much does it cost?';
const HOURS = 'When are you open?';
const RETURNS = 'Can I send it back?';

const rules = (price: string, delayMs = 0): Rule[] => [
  { match: 'cost', reply: `It costs ${price} euros, and shipping is free.`, delayMs },
  { match: 'open', reply: 'We are open from 9 to 17 on working days.', delayMs },
  { match: 'back', reply: 'Yes, within 30 days of the day you bought it.', delayMs },
];

describe.skipIf(missing)('the check of a draft', () => {
  const { service, signedIn } = serviceForTests();

  /** A flow that people asked, with one draft over it. */
  async function flowSaying(live: Rule[], draft: Rule[], asked: readonly string[]): Promise<string> {
    const id = await makeFlow(service, 'Shop', await conversation(service, live));
    for (const question of asked) await service.call('POST', `/prediction/${id}`, { question });
    const drawing = await conversation(service, draft);
    // A card that was moved makes a draft also where both sides say the same.
    drawing.node('bufferMemory_0').position.y += 40;
    await saveDraft(service, id, drawing);
    return id;
  }

  const path = (id: string): string => `/flow-drafts/${id}/check`;

  async function openCheck(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('tab', { name: 'Check' }).click();
    return dialog;
  }

  const start = (dialog: Locator): Promise<void> =>
    dialog.getByRole('button', { name: 'Start the check' }).click();

  const question = (dialog: Locator, text: string): Locator =>
    dialog.getByRole('listitem').filter({ has: dialog.page().locator('summary', { hasText: text }) });

  it('finds a fault and shows it', async () => {
    const id = await flowSaying(rules('12'), rules('15'), [PRICE, HOURS, RETURNS]);
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 1000 });
    const dialog = await openCheck(page);
    await dialog.getByText('3 of 10 questions are asked.').waitFor();
    await shot(page, 'check-setup');
    await axe(page);
    await start(dialog);
    await dialog.getByRole('heading', { name: /^The check reports a change/ }).waitFor();
    const changed = question(dialog, PRICE);
    await changed.getByText('Live says 12, the draft says 15.').waitFor();
    await changed.getByText(/^Confirmed/).waitFor();
    expect(await changed.locator('mark').allTextContents()).toEqual([
      '[only in Live: 12]',
      '[only in the draft: 15]',
    ]);
    await shot(page, 'check-change');
    await axe(page);
    await dialog.getByText('What this rests on').click();
    await dialog.getByText(/^p = 0\.\d+/).waitFor();
    await shot(page, 'check-behind');
    await close();
  });

  it('says so where nothing changed', async () => {
    const id = await flowSaying(rules('12'), rules('12'), [PRICE, HOURS, RETURNS]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const dialog = await openCheck(page);
    await start(dialog);
    await dialog.getByRole('heading', { name: /^The check reports no change/ }).waitFor();
    await dialog.getByRole('list', { name: 'Questions by verdict' }).getByText('3 Same').waitFor();
    await dialog.locator('summary', { hasText: HOURS }).click();
    await question(dialog, HOURS).getByText('Live and the draft are 100 % alike.').waitFor();
    expect(await dialog.locator('mark').count()).toBe(0);
    await shot(page, 'check-same');
    await dialog.getByRole('tab', { name: 'Changes' }).click();
    await dialog.getByText(/^The check reports no change.*Last check: now\./).waitFor();
    await close();
  });

  it('shows how far it is, is found again, and keeps what is there when it is stopped', async () => {
    const slow = (price: string): Rule[] => [
      ...rules(price).slice(0, 1),
      { reply: 'It takes its time', delayMs: 3_000 },
    ];
    const id = await flowSaying(slow('12'), slow('15'), [HOURS, PRICE]);
    const { page, close } = await signedIn(`/flows/${id}`);
    let dialog = await openCheck(page);
    await dialog.getByRole('checkbox', { name: 'Ask question 2' }).waitFor();
    await start(dialog);
    await dialog.getByRole('heading', { name: 'Question 2 of 2' }).waitFor();
    await shot(page, 'check-running');
    await axe(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    dialog = page.getByRole('dialog');
    await dialog.getByText(/^A check is running: 1 of 2/).waitFor();
    await dialog.getByRole('button', { name: 'See the check' }).click();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByText('The check was stopped.').waitFor();
    await dialog.getByText(/^1 of 2 questions were answered/).waitFor();
    await question(dialog, PRICE).getByText('Live says 12, the draft says 15.').waitFor();
    await shot(page, 'check-stopped');
    await close();
  });

  it('says that the draft was changed since, and runs again', async () => {
    const id = await flowSaying(rules('12'), rules('15'), [PRICE]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const dialog = await openCheck(page);
    await start(dialog);
    await dialog.getByRole('heading', { name: /^The check reports a change/ }).waitFor();
    await saveDraft(service, id, await conversation(service, rules('12'), { allowImageUploads: true }));
    await dialog.getByRole('tab', { name: 'Changes' }).click();
    await dialog.getByRole('tab', { name: 'Check' }).click();
    await dialog.getByText(/tells of an older draft/).waitFor();
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog.getByRole('heading', { name: /^The check reports no change/ }).waitFor();
    expect(await dialog.getByText(/tells of an older draft/).count()).toBe(0);
    await close();
  });

  it('keeps a question with an expectation that the draft then fails', async () => {
    const told = (text: string): Rule[] => [{ reply: text }];
    const id = await flowSaying(told('The price is low.'), told('The price is fine.'), [PRICE]);
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1024, allowed: [/questions .*400/] });
    const dialog = await openCheck(page);
    await dialog.getByRole('button', { name: 'Keep question 1' }).click();
    await dialog.getByRole('radio', { name: 'Kept (1)' }).click();
    await dialog.getByRole('button', { name: 'Actions for Question 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: 'Add an expectation' }).click();
    const row = dialog.getByRole('group', { name: 'Expectation 1' });
    await row.getByRole('combobox', { name: 'The answer' }).click();
    await page.getByRole('option', { name: 'matches a pattern' }).click();
    await row.getByRole('textbox', { name: 'Regular expression' }).fill('(low');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText(/^The pattern cannot be used/).waitFor();
    await shot(page, 'check-kept-refused');
    await axe(page);
    await row.getByRole('textbox', { name: 'Regular expression' }).fill('low|cheap');
    await page.keyboard.press('Escape');
    await dialog.getByText('Not saved yet.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('list', { name: 'Expectations' }).getByText('matches low|cheap').waitFor();
    await shot(page, 'check-kept');
    await axe(page);
    await dialog.getByRole('radio', { name: 'Set up' }).click();
    await start(dialog);
    await dialog.getByText(/^The answer was expected to match the pattern .* Live's does/).waitFor();
    await dialog.getByRole('heading', { name: /^The check reports a change/ }).waitFor();
    await shot(page, 'check-expectation');
    await close();
  });

  it('orders and deletes kept questions', async () => {
    const id = await flowSaying(rules('12'), rules('15'), []);
    await service.call('PUT', `${path(id)}/questions`, [{ text: PRICE }, { text: HOURS }]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const dialog = await openCheck(page);
    await dialog.getByRole('radio', { name: 'Kept (2)' }).click();
    const texts = async (): Promise<string[]> =>
      (await service.call<{ text: string }[]>('GET', `${path(id)}/questions`)).map(({ text }) => text);
    await dialog.getByRole('button', { name: 'Actions for Question 2' }).click();
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await expect.poll(texts).toEqual([HOURS, PRICE]);
    await dialog.getByRole('button', { name: 'Actions for Question 1' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete question' }).click();
    await expect.poll(texts).toEqual([PRICE]);
    await dialog.getByRole('radio', { name: 'Kept (1)' }).waitFor();
    await close();
  });

  it('names risky steps, and is refused while nobody agreed to them', async () => {
    const steps = (text: string): Steps =>
      new Steps()
        .card('customFunctionAgentflow_0', 'Book the parcel', {
          customFunctionJavascriptFunction: 'return "booked"',
        })
        .card('directReplyAgentflow_0', 'Reply', { directReplyMessage: text })
        .edge(START, 'customFunctionAgentflow_0')
        .edge('customFunctionAgentflow_0', 'directReplyAgentflow_0');
    const id = await steps('Booked.').flow(service, 'Parcels');
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: steps('Booked for Monday.').text() });
    const { page, close } = await signedIn(`/flows/${id}`, { allowed: [/check .*409/] });
    const dialog = await openCheck(page);
    await dialog.getByRole('list', { name: 'Risky steps' }).getByText('Book the parcel').waitFor();
    await dialog.getByRole('button', { name: 'Add a question' }).click();
    await page.keyboard.type('Send it');
    expect(await dialog.getByRole('textbox', { name: 'Question 1' }).inputValue()).toBe('Send it');
    await start(dialog);
    await dialog
      .getByRole('alert')
      .getByText(/Book the parcel/)
      .waitFor();
    await shot(page, 'check-risky');
    await axe(page);
    await dialog.getByRole('checkbox', { name: 'Run this step as well' }).click();
    await start(dialog);
    await dialog.getByRole('region', { name: 'Verdict' }).waitFor();
    await close();
  });

  it('opens the steps of an agentflow that differ', async () => {
    const steps = (text: string): Steps =>
      new Steps().card('llmAgentflow_0', 'Answer', says(text)).edge(START, 'llmAgentflow_0');
    const id = await steps('It costs 12 euros.').flow(service, 'Steps');
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: steps('It costs 15 euros.').text() });
    await service.call('PUT', `${path(id)}/questions`, [{ text: PRICE }]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const dialog = await openCheck(page);
    await start(dialog);
    await dialog.getByText(/^\d steps? differs?$/).click();
    const list = dialog.getByRole('list', { name: 'Steps that differ' });
    await list.getByText('says something else.').first().waitFor();
    await shot(page, 'check-steps');
    await list.getByRole('button', { name: 'Answer' }).click();
    await page.waitForURL(/node=llmAgentflow_0/);
    await close();
  });

  it('asks the draft alone where nothing is Live', async () => {
    const drawing = await conversation(service, rules('12'));
    const id = await makeFlow(service, 'New', drawing, { publish: false });
    await service.call('PUT', `${path(id)}/questions`, [
      { text: PRICE, expect: [{ kind: 'contains', value: '15' }] },
    ]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const dialog = await openCheck(page);
    await dialog.getByText('Nothing is Live yet, so only the draft is asked.').waitFor();
    await start(dialog);
    await dialog.getByRole('heading', { name: 'The draft does not meet what is expected of it.' }).waitFor();
    await dialog.getByText(/It costs 12 euros/).waitFor();
    await shot(page, 'check-first');
    await axe(page);
    await close();
  });

  it('is set up, run and read by the keyboard alone', async () => {
    const id = await flowSaying(rules('12'), rules('15'), [PRICE]);
    const { page, close } = await signedIn(`/flows/${id}`);
    const press = (...keys: string[]): Promise<void> =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const at = async (name: RegExp): Promise<void> => {
      for (let tries = 0; tries < 60; tries += 1) {
        const named = await page.evaluate(() => {
          const here = document.activeElement;
          const label = here?.id ? document.querySelector(`label[for="${CSS.escape(here.id)}"]`) : null;
          return (here?.getAttribute('aria-label') ?? label?.textContent ?? here?.textContent ?? '').trim();
        });
        if (name.test(named)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`The keyboard does not reach ${name}.`);
    };
    await page.getByRole('button', { name: 'Publish', exact: true }).focus();
    await press('Enter');
    await page.getByRole('dialog').getByRole('tab', { name: 'Changes' }).waitFor();
    await at(/^Changes$/);
    await press('ArrowRight');
    await page.getByRole('button', { name: 'Start the check' }).waitFor();
    await at(/^Add a question$/);
    await press('Enter');
    await page.getByRole('textbox', { name: 'Question 2' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Question 2');
    await page.keyboard.type(HOURS);
    await at(/^Start the check$/);
    await press('Enter');
    await page.getByRole('heading', { name: /^The check reports a change/ }).waitFor();
    await at(/^Keep this question$/);
    await press('Enter');
    await page.getByRole('radio', { name: 'Kept (1)' }).waitFor();
    await at(/^Publish$/);
    await press('Enter');
    await page.getByText('Published', { exact: true }).first().waitFor();
    await close();
  });

  it('stays whole at every width and in both themes', async () => {
    const id = await flowSaying(rules('12'), rules('15'), [PRICE, HOURS, RETURNS]);
    await service.call('PUT', `${path(id)}/questions`, [
      {
        text: PRICE,
        expect: [
          { kind: 'contains', value: '12' },
          { kind: 'refuses', value: false },
        ],
      },
    ]);
    for (const width of [390, 1024, 1440])
      for (const scheme of ['light', 'dark'] as const) {
        const { page, close } = await signedIn(`/flows/${id}`, { width, height: 900, scheme });
        const name = `${width}-${scheme}`;
        const dialog = await openCheck(page);
        await dialog.getByRole('radio', { name: 'Set up' }).click();
        await dialog.getByRole('button', { name: 'Start the check' }).waitFor();
        await shot(page, `check-setup-${name}`);
        await axe(page);
        await start(dialog);
        await dialog.getByRole('heading', { name: /^The check reports a change/ }).waitFor();
        await shot(page, `check-result-${name}`);
        await axe(page);
        await dialog.getByRole('radio', { name: 'Kept (1)' }).click();
        await dialog.getByRole('button', { name: 'Actions for Question 1' }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await dialog.getByRole('group', { name: 'Expectation 2' }).waitFor();
        await shot(page, `check-kept-${name}`);
        await axe(page);
        const wide = await overflows(page);
        expect(wide, `a page wider than ${width}`).toBe(false);
        await close();
      }
  }, 180_000);
});
