import { beforeAll, describe, expect, it } from 'vitest';
import { liveFlow, type Made } from './flow-support';
import { missing, serviceForTests } from './harness';
import type { Page } from 'playwright-core';

/** A page belongs to one person in one workspace. */
describe.skipIf(missing)('who the page is for', () => {
  const { service, signedIn } = serviceForTests();
  let flow: Made;
  beforeAll(async () => {
    flow = await liveFlow(service, 'First workspace only');
  });

  async function signOut(page: Page): Promise<void> {
    const answer = await page.request.get('/api/v1/auth/me', { headers: { 'x-request-from': 'internal' } });
    const me = (await answer.json()) as { name: string };
    await page.getByRole('button', { name: me.name, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  }

  it('is gone from the screen after signing out', async () => {
    for (const path of ['/', `/flows/${flow.id}`]) {
      const { page, close } = await signedIn(path);
      page.setDefaultTimeout(10_000);
      await page.getByText('First workspace only').first().waitFor();
      await signOut(page);
      await page.getByLabel('E-mail').waitFor();
      expect(await page.getByText('First workspace only').count()).toBe(0);
      await close();
    }
  });

  it('follows the workspace at once, from the list of flows and from the list of workspaces', async () => {
    const { page, context, close } = await signedIn('/');
    page.setDefaultTimeout(10_000);
    const made = await context.request.post('/api/v1/workspace', {
      data: { name: 'Second', description: '' },
      headers: { origin: service.baseUrl, 'x-request-from': 'internal' },
    });
    expect(made.ok()).toBe(true);
    await page.reload();
    await page.getByText('First workspace only').first().waitFor();
    const open = page.getByRole('button', { name: /^Workspace/ });
    const first = (await open.textContent()) ?? '';
    await open.click();
    await page.getByRole('menuitemcheckbox', { name: 'Second' }).click();
    await page.getByRole('button', { name: /^Workspace.*Second/ }).waitFor();
    await page.getByText('First workspace only').first().waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();

    await page.goto('/workspaces');
    await page.getByRole('button', { name: `Actions for ${first}` }).click();
    await page.getByRole('menuitem', { name: 'Switch to it' }).click();
    await page.getByRole('button', { name: new RegExp(`^Workspace.*${first}`) }).waitFor();
    await page.getByRole('link', { name: 'Flows' }).click();
    await page.getByText('First workspace only').first().waitFor();
    await close();
  });
});
