import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  axe,
  closeBrowser,
  missing,
  open,
  serves,
  serviceForTests,
  shot,
  startEmpty,
  type Service,
} from './harness';

describe.skipIf(missing)('sign-in', () => {
  const { service } = serviceForTests();

  it('brings back to the address that was asked for, by keyboard alone', async () => {
    const { page, close } = await open(service.page);
    await page.goto('/account');
    await page.getByRole('heading', { level: 1, name: 'Sign in to Flowkeep' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/account');
    await axe(page);
    await shot(page, 'sign-in');
    await page.keyboard.type(service.ownerEmail);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(service.ownerPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    await close();
  });

  it('says what is wrong beside the field', async () => {
    const { page, close } = await open(service.page, { allowed: [/auth\/login .*401/] });
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const email = page.getByLabel('E-mail');
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => email.evaluate((node) => node === document.activeElement)).toBe(true);
    await email.fill(service.ownerEmail);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const password = page.getByLabel('Password', { exact: true });
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true');
    const described = await password.getAttribute('aria-describedby');
    expect(await page.locator(`#${CSS_escape(described ?? '')}`).textContent()).toMatch(/\w/);
    await axe(page);
    await close();
  });

  it('never leads to another site', async () => {
    const { page, close } = await open(service.page);
    await page.goto('/sign-in?next=//example.org/x');
    await page.getByLabel('E-mail').fill(service.ownerEmail);
    await page.getByLabel('Password', { exact: true }).fill(service.ownerPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    expect(page.url()).toBe(`${service.page}/`);
    await close();
  });
});

/** Ids made by React hold colons. */
const CSS_escape = (id: string): string => id.replace(/[^\w-]/g, (sign) => `\\${sign}`);

describe.skipIf(missing)('first start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowkeep-e2e-'));
  afterAll(async () => {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  });

  it('asks for the setup token where others can reach the service', async (test) => {
    const own = mkdtempSync(join(tmpdir(), 'flowkeep-e2e-'));
    const started = await startEmpty(own, ['--host', '0.0.0.0']);
    test.onTestFinished(async () => {
      await started.stop();
      rmSync(own, { recursive: true, force: true });
    });
    if (!(await serves({ baseUrl: started.page } as Service, '/auth/resolve', 'POST'))) test.skip();
    const { page, close } = await open(started.page, { allowed: [/account\/register .*403/] });
    await page.goto('/setup');
    await page.getByLabel('Name').fill('Ada Byron');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).fill('a long enough password of words');
    await page.getByRole('button', { name: 'Create owner' }).click();
    const token = page.getByLabel('Setup token');
    await token.waitFor();
    await axe(page);
    await shot(page, 'setup-token');
    const printed = /setup token[^\n]*?([A-Za-z0-9_-]{16,})/i.exec(started.output())?.[1];
    await token.fill(printed ?? '');
    await page.getByRole('button', { name: 'Create owner' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await close();
  });

  it('makes the owner and signs them in', async (test) => {
    const started = await startEmpty(folder);
    test.onTestFinished(() => started.stop());
    const { page, close } = await open(started.page, {
      allowed: [/auth\/resolve .*404/, /account\/register .*400/],
    });
    if (!(await serves({ baseUrl: started.page } as Service, '/auth/resolve', 'POST'))) test.skip();
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Set up Flowkeep' }).waitFor();
    await axe(page);
    await shot(page, 'setup');
    await page.getByLabel('Name').fill('Ada Byron');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create owner' }).click();
    const password = page.getByLabel('Password', { exact: true });
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true');
    await password.fill('a long enough password of words');
    await page.getByRole('button', { name: 'Create owner' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await page.getByText('No flows yet').waitFor();
    await axe(page);
    await shot(page, 'flows-empty');
    await close();
  });
});
