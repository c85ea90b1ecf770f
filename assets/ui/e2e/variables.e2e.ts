import { describe, expect, it } from 'vitest';
import { axe, missing, serviceForTests, shot } from './harness';

const allowed = [/\/used-by\/\w+ .*404/];

describe.skipIf(missing)('variables', () => {
  const { service, signedIn } = serviceForTests();
  const list = (): Promise<{ name: string; value: string; type: string }[]> =>
    service.call('GET', '/variables');

  it('creates static and runtime ones', async () => {
    const { page, close } = await signedIn('/variables', { allowed: [...allowed, /409/] });
    await page.getByText('No variables yet').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'New variable' }).click();
    const form = page.getByRole('dialog', { name: 'New variable' });
    await form.getByLabel('Name').fill('api url');
    await page.keyboard.press('Enter');
    await form.getByText(/Begin with a letter/).waitFor();
    await axe(page);
    await form.getByLabel('Name').fill('apiUrl');
    await form.getByRole('textbox', { name: 'Value' }).fill('https://example.org');
    await shot(page, 'variables-new');
    await form.getByRole('button', { name: 'Create variable' }).click();
    await page.getByRole('row', { name: /apiUrl.*https:\/\/example.org/ }).waitFor();

    await page.getByRole('button', { name: 'New variable' }).click();
    await form.getByLabel('Name').fill('apiUrl');
    await form.getByRole('radio', { name: 'Runtime' }).click();
    expect(await form.getByRole('textbox', { name: 'Value' }).count()).toBe(0);
    await form.getByRole('button', { name: 'Create variable' }).click();
    await expect.poll(() => form.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Name').fill('HOME');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /HOME.*Runtime.*environment/ }).waitFor();
    expect((await list()).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'HOME runtime',
      'apiUrl static',
    ]);
    await axe(page);
    await close();
  });

  it('edits, filters and deletes', async () => {
    const { page, close } = await signedIn('/variables?type=static', { allowed });
    await page.getByRole('row', { name: /apiUrl/ }).waitFor();
    expect(await page.getByRole('row', { name: /HOME/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'apiUrl', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit variable' });
    await form.getByRole('textbox', { name: 'Value' }).fill('https://example.com');
    await form.getByLabel('Name').fill('baseUrl');
    await form.getByText('Flows that use the old name do not follow.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /baseUrl.*https:\/\/example.com/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for baseUrl' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete variable' }).click();
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByRole('row', { name: /HOME/ }).waitFor();
    expect((await list()).map(({ name }) => name)).toEqual(['HOME']);
    await close();
  });
});
