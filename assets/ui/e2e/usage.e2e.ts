/** How much is asked and used: by day, flow, key and model, and where budgets bind. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conversation, makeFlow } from './canvases';
import { axe, LOOKS, missing, overflows, serviceForTests, shot } from './harness';
import { tellUsage } from './usage-support';

describe.skipIf(missing)('usage', () => {
  const { service, signedIn } = serviceForTests();

  it('draws each day, tells all of it in words, and has the same as a table', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    await page.getByRole('img', { name: /questions from .* of them failed/ }).waitFor();
    await page.getByText('As a table').click();
    const days = page.getByRole('table', { name: 'By day' });
    await expect.poll(() => days.getByRole('rowheader').count()).toBe(30);
    // The newest day first; a day without an answer has no time.
    const time = (row: number) => days.getByRole('row').nth(row).getByRole('cell').nth(2).textContent();
    expect(await time(1)).toBe('2.1 s');
    expect(await time(3)).toMatch(/^–\S/);
    await axe(page);
    await page.getByRole('radio', { name: 'Tokens' }).click();
    await page.getByRole('img', { name: /tokens from/ }).waitFor();
    await close();
  });

  it('says how long answers took, in all and by flow and key', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    const inAll = page.getByRole('list', { name: 'In all' }).getByRole('listitem');
    await inAll.filter({ hasText: 'Median time' }).getByText('1.2 s', { exact: true }).waitFor();
    for (const [table, row, time] of [
      ['By flow', 'Support', '1.1 s'],
      ['By API key', 'Website', '320 ms'],
    ] as const) {
      const found = page.getByRole('table', { name: table }).getByRole('row', { name: new RegExp(row) });
      await found.getByRole('cell', { name: time, exact: true }).waitFor();
    }
    await close();
  });

  it('counts what was asked of flows that are there and of one that is gone, and shows a budget that refuses', async () => {
    const make = async (name: string, replies: number): Promise<string> =>
      makeFlow(
        service,
        name,
        await conversation(
          service,
          Array.from({ length: replies }, () => ({ reply: 'Hi' })),
        ),
      );
    const [kept, gone] = [await make('Kept', 1), await make('Gone', 1)];
    await service.call('PUT', `/chatflows/${kept}`, {
      apiConfig: JSON.stringify({ budget: { questionsPerDay: 1 } }),
    });
    for (const flow of [kept, gone]) await service.call('POST', `/prediction/${flow}`, { question: 'Hello' });
    await service.call('DELETE', `/chatflows/${gone}`);
    const { page, close } = await signedIn('/usage');
    const flows = page.getByRole('table', { name: 'By flow' });
    await flows.getByRole('link', { name: 'Kept' }).waitFor();
    await flows.getByText(`Deleted flow ${gone.slice(0, 8)}`).waitFor();
    const budget = page.getByRole('table', { name: 'Budgets of today' }).getByRole('row', { name: /Kept/ });
    await budget.getByText(/^Refusing until/).waitFor();
    await budget.getByText('0 left of 1').waitFor();
    await shot(page, 'usage-counted');
    await close();
  });

  it('leads from a flow to its conversations of these days', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    const flows = page.getByRole('table', { name: 'By flow' });
    await flows.getByRole('link', { name: 'Support' }).waitFor();
    // What is deleted has no list any more.
    expect(await flows.getByRole('link').count()).toBe(2);
    await flows.getByRole('link', { name: 'Support' }).click();
    await page.waitForURL(
      /\/conversations\?flow=f1&since=\d{4}-\d\d-\d\dT00:00:00\.000Z&until=\d{4}-\d\d-\d\dT23:59:59\.999Z$/,
    );
    await close();
  });

  it('says which budget refuses and until when, before those that still answer', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    const rows = page.getByRole('table', { name: 'Budgets of today' }).getByRole('row');
    await rows.nth(1).getByText('Website').waitFor();
    await rows
      .nth(1)
      .getByText(/^Refusing until .*12:00 AM$/)
      .waitFor();
    await rows.nth(1).getByText('0 left of 50').waitFor();
    await rows.nth(2).getByText('36,000 left of 100,000').waitFor();
    await close();
  });

  it('is taken along as a table', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Flows (CSV)' }).click();
    const lines = readFileSync(await (await file).path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('id,name,questions,failed,medianMs,promptTokens,completionTokens');
    expect(lines[1]).toBe('f1,Support,1260,28,1120,1050000,266000');
    await close();
  });

  it('keeps span and filters in the address', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tellUsage(page);
    await page.goto('/usage?span=90');
    const span = page.getByRole('combobox', { name: 'Span' });
    await expect.poll(() => span.textContent()).toContain('Last 90 days');
    await page.getByRole('link', { name: 'gpt-5-mini' }).click();
    await page.waitForURL(/\/usage\?span=90&model=gpt-5-mini$/);
    await span.click();
    await page.getByRole('option', { name: 'Own days' }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('2026-01-01');
    await page.waitForURL(/span=own.*since=2026-01-01/);
    await page.reload();
    await expect.poll(() => page.getByRole('textbox', { name: 'From' }).inputValue()).toBe('2026-01-01');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => !url.search.includes('model'));
    await close();
  });

  it('says why it cannot be told, and tries again', async () => {
    const { page, close } = await signedIn('/favicon.svg', { allowed: [/usage.*400/] });
    await page.route('**/api/v1/usage?*', (route) =>
      route.fulfill({ status: 400, json: { message: 'A span has at most 400 days.' } }),
    );
    await page.goto('/usage?span=own&since=2020-01-01');
    await page.getByText('A span has at most 400 days.').waitFor();
    await axe(page);
    await tellUsage(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('table', { name: 'By flow' }).waitFor();
    await close();
  });

  it('is readable at every width in both themes', async () => {
    for (const look of LOOKS) {
      const { page, close } = await signedIn('/favicon.svg', look);
      await tellUsage(page);
      await page.goto('/usage');
      await page.getByRole('table', { name: 'By flow' }).waitFor();
      await page.screenshot({ path: `e2e/shots/usage-${look.width}-${look.scheme}.png`, fullPage: true });
      await axe(page);
      expect(await overflows(page)).toBe(false);
      await close();
    }
    const { page, close } = await signedIn('/usage');
    await shot(page, 'usage-real');
    await close();
  }, 120_000);
});
