import { describe, expect, it } from 'vitest';
import { axe, focused, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('API keys', () => {
  const { service, signedIn } = serviceForTests();

  it('shows a new key once, and it works', async () => {
    const { page, close } = await signedIn('/api-keys');
    await page.getByRole('row', { name: /throwaway/ }).waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'New key' }).click();
    const panel = page.getByRole('dialog', { name: 'New key' });
    await panel.getByRole('group', { name: 'Chatflows' }).waitFor();

    await panel.getByRole('button', { name: 'Create key' }).click();
    await panel.getByText('This is needed.').waitFor();
    await panel.getByText('Choose at least one permission.').waitFor();
    expect(await panel.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');

    await panel.getByLabel('Name').fill('Website');
    await panel.getByRole('radio', { name: 'Read' }).click();
    const logs = panel.getByRole('group', { name: 'Logs' });
    expect(await logs.getByRole('checkbox', { name: 'View' }).isChecked()).toBe(true);
    await panel.getByRole('radio', { name: 'Ask only' }).click();
    expect(await logs.getByRole('checkbox', { name: 'View' }).isChecked()).toBe(false);
    await panel.getByRole('group', { name: 'Tools' }).getByRole('checkbox', { name: 'Tools' }).click();
    await panel.getByText('8 permissions chosen.').waitFor();
    await axe(page);
    await shot(page, 'keys-new');
    await panel.getByRole('button', { name: 'Create key' }).click();

    const once = page.getByRole('dialog', { name: /Your new key/ });
    const value = await once.locator('code').innerText();
    expect(value).toMatch(/^fk_[\w-]{43}$/);
    expect(await once.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await once.getByText(/Tick the box first/).waitFor();
    await axe(page);
    await shot(page, 'keys-once');
    await once.getByRole('checkbox', { name: 'I have stored it' }).click();
    await once.getByRole('button', { name: 'Done' }).click();
    await once.waitFor({ state: 'detached' });

    const row = page.getByRole('row', { name: /Website/ });
    await row.getByText(`fk_••••${value.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(value);
    const answer = await fetch(`${service.baseUrl}/api/v1/tools`, {
      headers: { authorization: `Bearer ${value}` },
    });
    expect(answer.status).toBe(200);
    const refused = await fetch(`${service.baseUrl}/api/v1/variables`, {
      headers: { authorization: `Bearer ${value}` },
    });
    expect(refused.status).toBe(403);
    await page.reload();
    await row.getByText('2 times').waitFor();
    await row.getByRole('button', { name: /all permissions of Website/ }).click();
    await page.getByText('View, Create, Change, Delete, Export').waitFor();
    await axe(page);
    await close();
  });

  it('edits, finds and deletes with the keyboard', async () => {
    const { page, close } = await signedIn('/api-keys');
    await service.call('POST', '/apikey', { keyName: 'Old one', permissions: ['tools:view'] });
    await page.reload();
    const name = page.getByRole('button', { name: 'Old one', exact: true });
    await name.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Chatflows' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Renamed');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Renamed', exact: true }).waitFor();

    await page.getByRole('searchbox').fill('rena');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=rena');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('Nothing found').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Clear filters' }).last().click();

    const menu = page.getByRole('button', { name: 'Actions for Renamed' });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await expect.poll(() => focused(page)).toBe('Edit');
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    await axe(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Actions for Renamed');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    // What lies behind an open dialog is not there for a reader.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Renamed', exact: true }).waitFor({ state: 'detached' });
    await close();
  });

  it('names the flows that are bound to a key before it is deleted', async () => {
    const { id } = await service.call<{ id: string }>('POST', '/apikey', {
      keyName: 'Bound',
      permissions: ['chatflows:view'],
    });
    await service.call('POST', '/chatflows', {
      name: 'Billing assistant',
      type: 'CHATFLOW',
      flowData: '{"nodes":[],"edges":[]}',
      apikeyid: id,
    });
    const { page, close } = await signedIn('/api-keys');
    const row = page.getByRole('row', { name: /^Bound/ });
    await row.getByText('1 flow', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Actions for Bound' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Billing assistant').waitFor();
    await shot(page, 'keys-delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await close();
  });

  it('fits a narrow page', async () => {
    const { page, close } = await signedIn('/api-keys', { width: 390, height: 844 });
    await page.getByRole('row', { name: /throwaway/ }).waitFor();
    expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth ?? 0)).toBeLessThanOrEqual(
      390,
    );
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('group', { name: 'Chatflows' }).waitFor();
    await shot(page, 'keys-narrow');
    await axe(page);
    await close();
  });
});
