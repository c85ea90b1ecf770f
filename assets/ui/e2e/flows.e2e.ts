import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { chatCanvas } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';

const canvas = (count: number): string =>
  JSON.stringify({
    nodes: Array.from({ length: count }, (_, at) => ({
      id: `note_${at}`,
      type: 'stickyNote',
      position: { x: at * 40, y: 0 },
      data: { id: `note_${at}`, name: 'stickyNote', label: 'Note', inputs: { note: 'x' } },
    })),
    edges: [],
  });

describe.skipIf(missing)('flows', () => {
  const { service, signedIn } = serviceForTests();
  beforeAll(async () => {
    const make = (name: string, type: string, category = '', more = {}): Promise<{ id: string }> =>
      service.call('POST', '/chatflows', { name, type, category, flowData: canvas(1), ...more });
    const billing = await make('Billing assistant', 'CHATFLOW', 'support;money');
    await service.call('POST', `/flow-drafts/${billing.id}/publish`, {});
    const refunds = await make('Refund approvals', 'AGENTFLOW', 'support');
    await service.call('POST', `/flow-drafts/${refunds.id}/publish`, {});
    await service.call('PUT', `/flow-drafts/${refunds.id}`, { flowData: canvas(2) });
    const orders = await make('Order status', 'CHATFLOW');
    await service.call('POST', `/flow-drafts/${orders.id}/publish`, {});
    await service.call('PUT', `/flow-drafts/${orders.id}`, { flowData: canvas(3) });
    await make('Weather', 'CHATFLOW');
    // One of its cards is of a server that knows more.
    await make('Old team', 'MULTIAGENT', '', {
      flowData: canvas(1).replaceAll('stickyNote', 'cardOfTomorrow'),
    });
    await make('Onboarding helper', 'CHATFLOW', '', { publishInstantly: true });
  });

  const row = (name: string): RegExp => new RegExp(`^${name}`);

  it('shows each state, as a table and as cards', async () => {
    const { page, close } = await signedIn('/');
    for (const [name, state] of [
      ['Billing assistant', 'Live'],
      ['Order status', 'Unpublished changes'],
      ['Refund approvals', 'Unpublished changes'],
      ['Old team', 'Straight to Live'],
      ['Weather', 'Never published'],
      ['Onboarding helper', 'Straight to Live'],
    ] as const) {
      await page
        .getByRole('row', { name: row(name) })
        .getByText(state, { exact: false })
        .first()
        .waitFor();
    }
    await axe(page);
    await shot(page, 'flows-table');
    await page.getByRole('radio', { name: 'Cards' }).click();
    await page.getByRole('heading', { level: 2, name: 'Weather' }).waitFor();
    await axe(page);
    await shot(page, 'flows-cards');
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Weather' }).waitFor();
    await close();
  });

  it('filters by kind, words, state and tag, and keeps that in the address', async () => {
    const { page, close } = await signedIn('/');
    const names = (): Promise<string[]> =>
      page.locator('tbody th a').evaluateAll((all) => all.map((one) => one.firstChild?.textContent ?? ''));
    await page.getByRole('tab', { name: /Agentflows/ }).click();
    await expect.poll(names).toEqual(['Refund approvals']);
    expect(page.url()).toContain('kind=AGENTFLOW');
    await page.getByRole('tab', { name: /All/ }).click();
    await page.getByLabel('Search flows').fill('wea');
    await expect.poll(names).toEqual(['Weather']);
    await page.getByLabel('Search flows').fill('nothing like it');
    await page.getByText('Nothing found').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page
      .getByRole('row', { name: row('Billing') })
      .getByRole('button', { name: 'money' })
      .click();
    await expect.poll(names).toEqual(['Billing assistant']);
    await page.goto('/?state=changes');
    await expect.poll(names).toEqual(['Order status', 'Refund approvals']);
    await page.goto('/?sort=name-up');
    await expect
      .poll(names)
      .toEqual([
        'Billing assistant',
        'Old team',
        'Onboarding helper',
        'Order status',
        'Refund approvals',
        'Weather',
      ]);
    await close();
  });

  it('builds of 10,000 flows no more than one sees, as a table and as cards', async () => {
    const { page, close } = await signedIn('/credentials');
    const [first] = await service.call<{ id: string; name: string }[]>('GET', '/chatflows?fields=summary');
    const all = Array.from({ length: 10_000 }, (_, at) => {
      const number = String(at).padStart(5, '0');
      return { ...first, id: `00000000-0000-4000-8000-0000000${number}`, name: `Flow ${number}` };
    });
    await page.route('**/api/v1/chatflows?**', (route) => route.fulfill({ json: all }));
    const built = page.locator('[data-at]');
    const scroll = (to: number): Promise<void> =>
      page.evaluate((part) => {
        const main = document.querySelector('main');
        main?.scrollTo(0, main.scrollHeight * part);
      }, to);
    for (const [look, most] of [
      ['Table', 120],
      ['Cards', 200],
    ] as const) {
      await page.goto('/?sort=name-up');
      await page.getByRole('radio', { name: look }).click();
      await page.getByRole('link', { name: /^Flow 00000/ }).waitFor();
      expect(await built.count(), look).toBeLessThan(most);
      await scroll(0.5);
      await page
        .getByRole('link', { name: /^Flow 0[45]/ })
        .first()
        .waitFor();
      expect(await built.count(), look).toBeLessThan(most);
      await scroll(1);
      await page.getByRole('link', { name: /^Flow 09999/ }).waitFor();
      expect(await built.count(), look).toBeLessThan(most);
      await axe(page);
      // By keyboard one gets from row to row although the next ones are built on the way.
      await scroll(0);
      await page.getByRole('link', { name: /^Flow 00000/ }).focus();
      for (let step = 0; step < 160; step += 1) await page.keyboard.press('Tab');
      await expect
        .poll(() =>
          page.evaluate(() => Number(document.activeElement?.closest('[data-at]')?.getAttribute('data-at'))),
        )
        .toBeGreaterThan(50);
    }
    await close();
  });

  it('renames by keyboard and gives the focus back', async () => {
    const { page, close } = await signedIn('/');
    const opener = page.getByRole('button', { name: 'Actions for Weather' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Rename' }).waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Actions for Weather');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Weather report');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: row('Weather report') }).waitFor();
    await expect
      .poll(async () =>
        (await service.call<{ name: string }[]>('GET', '/chatflows')).map((flow) => flow.name),
      )
      .toContain('Weather report');
    await close();
  });

  it('sets tags, duplicates and deletes', async () => {
    const { page, close } = await signedIn('/');
    const act = async (name: string, action: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Billing assistant', 'Tags');
    await page.getByRole('button', { name: 'Remove tag money' }).click();
    await page.getByLabel('Add tag').fill('invoices');
    await page.keyboard.press('Enter');
    await page.getByText('invoices').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: row('Billing assistant') })
      .getByRole('button', { name: 'invoices' })
      .waitFor();

    // What is typed there is not lost by a stray Escape.
    await act('Billing assistant', 'Rename');
    const rename = page.getByRole('dialog', { name: 'Rename' });
    await rename.getByLabel('Name').fill('Bills');
    await page.keyboard.press('Escape');
    await rename.getByText('Not saved yet.').waitFor();
    await rename.getByRole('button', { name: 'Discard changes' }).click();
    await rename.waitFor({ state: 'hidden' });
    await act('Billing assistant', 'Tags');
    await page.getByLabel('Add tag').fill('paid');
    await page.keyboard.press('Escape');
    await page.getByText('Not saved yet.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: row('Billing assistant') }).waitFor();

    await act('Billing assistant', 'Duplicate');
    await page
      .getByRole('row', { name: row('Billing assistant copy') })
      .getByText('Never published')
      .first()
      .waitFor();

    await act('Billing assistant copy', 'Delete');
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    await axe(page);
    await dialog.getByRole('button', { name: 'Delete flow' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: row('Billing assistant copy') }).waitFor({ state: 'detached' });
    await close();
  });

  it('exports a file that can be imported again, and refuses what is no flow', async () => {
    const { page, close } = await signedIn('/', { allowed: [/export-import\/import .*400/] });
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Actions for Old team' }).click();
    await page.getByRole('menuitem', { name: 'Export' }).click();
    const file = await (await saving).path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      name: 'Old team',
      type: 'MULTIAGENT',
    });
    const picker = page.locator('input[type=file]');
    await picker.setInputFiles({
      name: 'wrong.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"a":1}'),
    });
    await page.getByText('Nothing was imported from wrong.json').waitFor();
    await axe(page);
    await picker.setInputFiles({
      name: 'flow.json',
      mimeType: 'application/json',
      buffer: readFileSync(file),
    });
    // It is here already, and one of its cards does not run: both are told before anything happens.
    const report = page.getByRole('dialog', { name: 'Import flow.json' });
    await report.getByText('The same content is here already').waitFor();
    await expect.poll(() => report.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true);
    await report.getByRole('combobox', { name: 'What is here already' }).click();
    await page.getByRole('option', { name: /^Make it again/ }).click();
    await report.getByText('This server cannot run all of it yet').waitFor();
    await axe(page);
    await shot(page, 'flows-import');
    await report.getByRole('button', { name: 'Import 1 thing' }).click();
    const done = page.getByRole('dialog', { name: 'flow.json came in' });
    await done.getByRole('button', { name: 'Publish all that can run' }).click();
    await done.getByText('0 flows are Live now').waitFor();
    await done
      .getByText(/cardOfTomorrow/)
      .first()
      .waitFor();
    await axe(page);
    await shot(page, 'flows-imported');
    await done.getByRole('button', { name: 'Close' }).last().click();
    const all = await service.call<{ name: string }[]>('GET', '/chatflows?fields=summary');
    expect(all.filter((flow) => flow.name === 'Old team')).toHaveLength(2);
    await close();
  });

  it('takes many things of one file in, and publishes all that can run', async () => {
    const { page, close } = await signedIn('/');
    const flow = (id: string, name: string, flowData: string): object => ({
      id,
      name,
      type: 'CHATFLOW',
      flowData,
    });
    const [one, two] = ['3f1d6c1e-1111-4111-8111-000000000001', '3f1d6c1e-1111-4111-8111-000000000002'];
    const file = {
      ChatFlow: [
        flow(one, 'Comes in and runs', await chatCanvas(service, 'From a file')),
        flow(two, 'Comes in unfinished', JSON.stringify({ nodes: [], edges: [] })),
      ],
      Variable: [
        { id: '3f1d6c1e-1111-4111-8111-000000000003', name: 'shop', value: 'Harbour', type: 'static' },
      ],
    };
    await page.locator('input[type=file]').setInputFiles({
      name: 'workspace.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    });
    await page.getByRole('dialog').getByText('3 new').waitFor();
    await page.getByRole('button', { name: 'Import 3 things' }).click();
    await page.getByRole('button', { name: 'Publish all that can run' }).click();
    await page.getByText('1 flow is Live now').waitFor();
    const answer = await fetch(`${service.baseUrl}/api/v1/prediction/${one}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'Hi' }),
    });
    expect(((await answer.json()) as { text: string }).text).toBe('From a file');
    await close();
  });

  it('asks before a form with something typed is left by Back or a reload', async () => {
    const { page, close } = await signedIn('/credentials');
    await page.getByRole('link', { name: 'Flows', exact: true }).first().click();
    await page.getByRole('button', { name: 'New flow' }).click();
    const dialog = page.getByRole('dialog', { name: 'New flow' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('Not made yet');
    const question = page.getByRole('alertdialog');
    await page.goBack();
    await question.waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Not made yet');
    const asked: string[] = [];
    page.on('dialog', (box) => {
      asked.push(box.type());
      void box.dismiss();
    });
    await page.evaluate(() => setTimeout(() => location.reload()));
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(await name.inputValue()).toBe('Not made yet');
    await page.goBack();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
    await close();
  });

  it('makes a flow and opens it', async () => {
    const { page, close } = await signedIn('/');
    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('dialog', { name: 'New flow' }).waitFor();
    await axe(page);
    await shot(page, 'flows-new');
    await page.getByText('Agentflow', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Made here');
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await close();
  });

  it('makes a blank pipeline, which has runs of its own', async () => {
    const { page, close } = await signedIn('/');
    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('dialog', { name: 'New flow' }).getByText('ETL', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly parcels');
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.getByRole('link', { name: 'Runs', exact: true }).waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    expect(await service.call('GET', `/chatflows/${id}`)).toMatchObject({
      name: 'Nightly parcels',
      type: 'ETL',
    });
    await close();
  });
});

describe.skipIf(missing)('the frame', () => {
  const { service, signedIn } = serviceForTests();

  it('leads to the manual', async () => {
    const { page, close } = await signedIn('/');
    const link = page.getByRole('navigation').getByRole('link', { name: 'Manual' });
    expect(await link.getAttribute('href')).toBe('/docs');
    const answer = await fetch(`${service.baseUrl}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/html/)]);
    await close();
  });

  it('has a skip link, a command menu and a list of shortcuts', async () => {
    const { page, close } = await signedIn('/');
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await axe(page);
    await page.keyboard.type('account');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await close();
  });

  it('answers an unknown address with a page and a way back', async () => {
    const { page, close } = await signedIn('/no/such/page', { allowed: [/404/] });
    await page.getByText('There is no such page').last().waitFor();
    await axe(page);
    await page.getByRole('link', { name: 'Go to flows' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await close();
  });

  it('works on a narrow page', async () => {
    const { page, close } = await signedIn('/', { width: 400, height: 720 });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('link', { name: 'Credentials' }).waitFor();
    await axe(page);
    await shot(page, 'narrow-menu');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('link', { name: 'Credentials' }).isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await close();
  });
});
