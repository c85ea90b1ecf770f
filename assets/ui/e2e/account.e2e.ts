import { describe, expect, it } from 'vitest';
import { axe, missing, open, serves, serviceForTests, shot } from './harness';

describe.skipIf(missing)('account', () => {
  const { service, signedIn } = serviceForTests();

  it('tells a dead link from a living one', async (test) => {
    if (!(await serves(service, '/account/verify', 'POST'))) test.skip();
    const { page, close } = await open(service.page, { allowed: [/account\/verify .*400/] });
    for (const path of ['/invite?token=nonsense', '/reset?token=nonsense']) {
      await page.goto(path);
      await page.getByText('This link is not valid any more').waitFor();
      await axe(page);
    }
    await close();
  });

  it('takes an invitation', async (test) => {
    if (!(await serves(service, '/account/invite'))) test.skip();
    const owner = await signedIn('/');
    const call = owner.context.request;
    const roles = (await (
      await call.get('/api/v1/role', { headers: { 'x-request-from': 'internal' } })
    ).json()) as { id: string; name: string }[];
    const editor = roles.find((role) => role.name === 'Editor');
    const made = await call.post('/api/v1/account/invite', {
      data: { user: { email: 'grace@example.org', name: 'Grace' }, roleId: editor?.id },
      headers: { origin: service.baseUrl, 'x-request-from': 'internal' },
    });
    const { link } = (await made.json()) as { link: { path: string } };
    await owner.close();
    const { page, close } = await open(service.page);
    await page.goto(link.path);
    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
    await axe(page);
    await shot(page, 'invite');
    await page.getByLabel('Password', { exact: true }).fill('a long enough password of words');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await page.getByRole('button', { name: 'Grace' }).waitFor();
    await close();
  });

  it('changes name, theme and password, and ends other sessions', async (test) => {
    if (!(await serves(service, '/account/sessions'))) test.skip();
    const elsewhere = await signedIn('/');
    const { page, close } = await signedIn('/account', { allowed: [/\/user .*401/] });
    await page.getByText('This one').waitFor();
    await axe(page);
    await shot(page, 'account');

    await page.getByLabel('Name', { exact: true }).fill('Ada Byron');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Ada Byron' }).waitFor();

    await page.getByRole('radio', { name: 'Dark' }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.reload();
    await page.getByText('This one').waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await shot(page, 'account-dark');

    const current = page.getByLabel('Current password');
    await current.fill('not it');
    await page.getByLabel('New password', { exact: true }).fill('another long password of words');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => current.getAttribute('aria-invalid')).toBe('true');
    await current.fill(service.ownerPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password is changed', { exact: true }).first().waitFor();
    await close();

    await elsewhere.page.reload();
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Sign in to Flowkeep' }).waitFor();
    await elsewhere.close();
  });
});
