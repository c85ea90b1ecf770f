import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axe, missing, open, serves, serviceForTests, shot, type Opened, type OpenOptions } from './harness';

const password = 'correct horse battery';

describe.skipIf(missing)('people', () => {
  const { service, signedIn } = serviceForTests();
  let ready = false;
  beforeAll(async () => {
    ready = await serves(service, '/role');
    if (!ready) console.warn('This service has no roles yet: its screens are not tested.');
  });

  const signIn = async (email: string, options: OpenOptions = {}): Promise<Opened> => {
    const opened = await open(service.page, options);
    const answer = await opened.context.request.post('/api/v1/auth/login', {
      data: { email, password },
      headers: { origin: service.baseUrl },
    });
    expect(answer.status()).toBe(200);
    return opened;
  };
  const menu = async (page: Page, name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: label }).click();
    // A description is read with its name.
    await page.getByRole('option', { name: new RegExp(`^${option}`) }).click();
  };

  it('makes, renames and deletes workspaces', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/workspaces', { allowed: [/409/] });
    await page.getByRole('row', { name: /Default Workspace.*You are here/ }).waitFor();
    await axe(page);
    for (const name of ['Research', 'Short lived']) {
      await page.getByRole('button', { name: 'New workspace' }).click();
      await page.getByLabel('Name').fill(name);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name, exact: true }).waitFor();
    }
    await menu(page, 'Short lived', 'Edit');
    await page.getByLabel('Name').fill('Research');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await axe(page);
    await page.getByLabel('Name').fill('Trash');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await menu(page, 'Trash', 'Delete');
    await axe(page);
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Trash', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for Default Workspace' }).click();
    const last = page.getByRole('menuitem', { name: /Delete/ });
    expect(await last.getAttribute('aria-disabled')).toBe('true');
    await close();
  });

  it('bounds what a workspace holds and uses', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/workspaces');
    await menu(page, 'Default Workspace', 'Quota');
    const dialog = page.getByRole('dialog', { name: 'Quota of Default Workspace' });
    await dialog.getByLabel('Flows').fill('a few');
    await dialog.getByText('A whole number from 0 to').waitFor();
    await axe(page);
    await dialog.getByLabel('Flows').fill('100');
    await dialog.getByLabel('Files, in MB').fill('2500.5');
    await dialog.getByLabel('Questions a day').fill('5000');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await menu(page, 'Default Workspace', 'Quota');
    await dialog
      .getByText(/^\d+ in use$/)
      .first()
      .waitFor();
    await dialog.getByText('Used today: 0 questions').waitFor();
    expect(await dialog.getByLabel('Flows').inputValue()).toBe('100');
    expect(await dialog.getByLabel('Files, in MB').inputValue()).toBe('2500.5');
    await axe(page);
    await shot(page, 'workspaces-quota');
    await page.keyboard.press('Escape');
    await page.goto('/usage');
    await page.getByRole('row', { name: /Default Workspace.*5,000 left of 5,000/ }).waitFor();
    await page.getByRole('link', { name: 'Default Workspace' }).click();
    await page.getByRole('button', { name: 'Default Workspace', exact: true }).waitFor();
    await close();
  });

  it('makes a role like another one', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/roles', { allowed: [/409/] });
    await page.getByRole('button', { name: 'Viewer', exact: true }).click();
    await page.getByText(/cannot be changed/).waitFor();
    await page.getByRole('group', { name: 'Chatflows' }).waitFor();
    expect(
      await page
        .getByRole('group', { name: 'Chatflows' })
        .getByRole('checkbox', { name: 'View' })
        .isDisabled(),
    ).toBe(true);
    await axe(page);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByLabel('Name').fill('Key keeper');
    await page
      .getByRole('group', { name: 'API keys' })
      .getByRole('checkbox', { name: 'API keys', exact: true })
      .click();
    await shot(page, 'roles-new');
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('row', { name: /Key keeper/ }).waitFor();
    await axe(page);
    await close();
  });

  it('invites somebody, who accepts in another browser', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/users', { allowed: [/409/] });
    await page.getByRole('row', { name: /owner@localhost/ }).waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText('This is needed.').waitFor();
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await choose(page, 'Role', 'Key keeper');
    await axe(page);
    await shot(page, 'users-invite');
    await page.getByRole('button', { name: 'Create link' }).click();
    const once = page.getByRole('dialog', { name: 'Invitation for ada@example.org' });
    const link = await once.locator('code').innerText();
    await once.getByText(/Works once, until/).waitFor();
    await axe(page);

    const ada = await open(service.page);
    await ada.page.goto(link);
    await ada.page.getByLabel('Password', { exact: true }).fill(password);
    await ada.page.getByRole('button', { name: 'Accept invitation' }).click();
    await ada.page.getByRole('link', { name: 'API keys' }).waitFor();
    await ada.close();

    await once.getByRole('checkbox').click();
    await once.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('row', { name: /Ada Lovelace.*Key keeper.*Active/ }).waitFor();
    await axe(page);
    await shot(page, 'users');

    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('ada@example.org');
    await choose(page, 'Workspace', 'Research');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('button', { name: 'Add them to the workspace' }).click();
    await page.getByRole('row', { name: /Ada Lovelace.*Research/ }).waitFor();

    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('late@example.org');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
    await axe(page);
    await menu(page, 'late@example.org', 'Remove invitation');
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' });
    await close();
  });

  it('changes a role, which counts at once', async (test) => {
    if (!ready) return test.skip();
    const ada = await signIn('ada@example.org', { allowed: [/403/] });
    await ada.page.goto('/api-keys');
    await ada.page.getByRole('button', { name: 'New key' }).waitFor();

    const { page, close } = await signedIn('/users');
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).click();
    await choose(page, 'Role in Default Workspace', 'Viewer');
    await page.locator('tr', { hasText: /Ada Lovelace.*Viewer/ }).waitFor();
    await axe(page);
    await shot(page, 'users-manage');
    await page.keyboard.press('Escape');

    await ada.page.reload();
    await ada.page.getByText('It needs the permission apikeys:view', { exact: false }).waitFor();
    await axe(ada.page);
    await ada.page.goto('/users');
    await ada.page.getByText(/Inviting needs/).waitFor();
    await ada.page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
    const remove = ada.page.getByRole('menuitem', { name: /Remove from the service/ });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await remove.getByText('Only the owner may do this').waitFor();
    await ada.page.goto('/roles');
    await ada.page.getByText('It needs the permission roles:manage', { exact: false }).waitFor();
    await ada.page.goto('/workspaces');
    await menu(ada.page, 'Default Workspace', 'Quota');
    await ada.page.getByText('Only the owner of the service changes it.').waitFor();
    expect(await ada.page.getByLabel('Flows').isDisabled()).toBe(true);
    await ada.close();
    await close();
  });

  it('refuses to delete a role in use', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/workspaces');
    await page.getByRole('button', { name: 'Research', exact: true }).click();
    await choose(page, 'Role of Ada Lovelace', 'Key keeper');
    await axe(page);
    await expect
      .poll(async () => {
        await page.goto('/roles');
        await page.getByRole('button', { name: 'Actions for Key keeper' }).click();
        const item = page.getByRole('menuitem', { name: /^Delete/ });
        return `${await item.getAttribute('aria-disabled')} ${await item.innerText()}`;
      })
      .toMatch(/true Delete\s+In use/);
    await page.goto('/workspaces');
    await page.getByRole('button', { name: 'Research', exact: true }).click();
    await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click();
    await page.getByText('Nobody but the owner is in it.').waitFor();
    await page.goto('/roles');
    await menu(page, 'Key keeper', 'Delete');
    await page.getByRole('button', { name: 'Delete role' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Key keeper/ }).waitFor({ state: 'detached' });
    await close();
  });

  it('makes a reset link, ends sessions, disables and removes', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/users');
    await menu(page, 'Ada Lovelace', 'Make a reset link');
    const once = page.getByRole('dialog', { name: 'Reset link for Ada Lovelace' });
    expect(await once.locator('code').innerText()).toContain('/reset?token=');
    await once.getByRole('checkbox').click();
    await once.getByRole('button', { name: 'Done' }).click();

    const ada = await signIn('ada@example.org', { allowed: [/401/] });
    await ada.page.goto('/');
    await ada.page.getByRole('heading', { level: 1 }).waitFor();
    await menu(page, 'Ada Lovelace', 'Sessions');
    await axe(page);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await ada.page.reload();
    await ada.page.getByRole('heading', { name: /Sign in/ }).waitFor();
    await ada.close();

    await menu(page, 'Ada Lovelace', 'Disable Ends all sessions, keeps the account');
    await page.getByRole('row', { name: /Ada Lovelace.*Disabled/ }).waitFor();
    await menu(page, 'Ada Lovelace', 'Enable');
    await page.getByRole('row', { name: /Ada Lovelace.*Active/ }).waitFor();
    await menu(page, 'Ada Lovelace', 'Remove from the service');
    await axe(page);
    await page.getByRole('button', { name: 'Remove person' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Ada Lovelace/ }).waitFor({ state: 'detached' });
    await close();
  });

  it('lists who did what', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/audit?kind=people');
    await page.getByRole('row', { name: /Removed a person.*Ada Lovelace/ }).waitFor();
    await axe(page);
    await shot(page, 'audit');
    expect(await page.getByRole('row', { name: /Signed in/ }).count()).toBe(0);
    await choose(page, 'Kind', 'Roles');
    await expect.poll(() => new URL(page.url()).search).toBe('?kind=roles');
    await page.getByRole('row', { name: /Deleted a role.*Key keeper/ }).waitFor();
    await page.getByLabel('From').fill('2100-01-01');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByText(/^1–\d+ of \d+$/).waitFor();
    await close();
  });

  it('fits a narrow page', async (test) => {
    if (!ready) return test.skip();
    const { page, close } = await signedIn('/users', {
      width: 390,
      height: 844,
      scheme: 'dark',
    });
    for (const path of ['/users', '/roles', '/workspaces', '/audit']) {
      await page.goto(path);
      await page.getByRole('table').first().waitFor();
      const width = await page.evaluate(() => document.querySelector('main')?.scrollWidth ?? 0);
      expect(width, path).toBeLessThanOrEqual(390);
      await axe(page);
    }
    await close();
  });
});
