import { describe, expect, it } from 'vitest';
import { axe, focused, missing, serviceForTests, shot } from './harness';

// A service without the route that counts uses answers 404: the column is left out then.
const allowed = [/\/used-by\/\w+ .*404/];

interface Row {
  id: string;
  name: string;
}

describe.skipIf(missing)('credentials', () => {
  const { service, signedIn } = serviceForTests();
  const list = (): Promise<Row[]> => service.call('GET', '/credentials');
  const read = async (name: string): Promise<Record<string, unknown>> => {
    const found = (await list()).find((one) => one.name === name);
    const { plainDataObj } = await service.call<{ plainDataObj: Record<string, unknown> }>(
      'GET',
      `/credentials/${found?.id}`,
    );
    return plainDataObj;
  };

  it('stores a credential with the keyboard', async () => {
    const { page, close } = await signedIn('/credentials', { allowed });
    await page.getByText('No credentials yet').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'New credential' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'OpenAI API', exact: true }).waitFor();
    await axe(page);
    await shot(page, 'credentials-pick');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('redis api');
    await page.getByRole('button', { name: 'OpenAI API', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redis API', exact: true }).focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Redis API' });
    await form.waitFor();
    await page.keyboard.press('Enter');
    expect(await form.getByText('This is needed.').count()).toBe(1);
    await expect.poll(() => focused(page)).toBe('');
    await axe(page);
    await page.keyboard.type('Cache');
    await form.getByLabel('Redis Cache Port').fill('many');
    await form.getByLabel('Redis Cache Password').fill('s3cret');
    await form.getByRole('button', { name: 'Create credential' }).click();
    await form.getByText('This is not a number.').waitFor();
    await form.getByLabel('Redis Cache Port').fill('6380');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Cache.*Redis API/ }).waitFor();
    expect(await read('Cache')).toMatchObject({ redisCachePort: 6380, redisCachePwd: '••••••••' });
    await axe(page);
    await close();
  });

  it('keeps secrets that are not typed anew, and never shows them', async () => {
    const { page, close } = await signedIn('/credentials', { allowed });
    await page.getByRole('button', { name: 'Cache', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit credential' });
    const secret = form.getByLabel('Redis Cache Password');
    expect(await secret.inputValue()).toBe('');
    expect(await secret.getAttribute('placeholder')).toBe('Stored. Type to replace it.');
    expect(await secret.getAttribute('type')).toBe('password');
    await axe(page);
    await shot(page, 'credentials-edit');
    await form.getByLabel('Name').fill('Session cache');
    await page.keyboard.press('Escape');
    await form.getByText('Not saved yet.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Session cache/ }).waitFor();
    await expect.poll(async () => (await list()).map((one) => one.name)).toEqual(['Session cache']);
    expect(await read('Session cache')).toMatchObject({ redisCachePwd: '••••••••', redisCachePort: 6380 });
    await close();
  });

  it('filters by type in the address, and deletes', async () => {
    await service.call('POST', '/credentials', {
      name: 'Models',
      credentialName: 'openAIApi',
      plainDataObj: { openAIApiKey: 'sk-x' },
    });
    const { page, close } = await signedIn('/credentials?type=openAIApi', { allowed });
    await page.getByRole('row', { name: /Models/ }).waitFor();
    expect(await page.getByRole('row', { name: /Session cache/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /Session cache/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Models' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await axe(page);
    await page.getByRole('button', { name: 'Delete credential' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Models/ }).waitFor({ state: 'detached' });
    expect((await list()).map((one) => one.name)).toEqual(['Session cache']);
    await close();
  });
});
