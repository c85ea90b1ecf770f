import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe, closeBrowser, freePort, missing, open, shot, startEmpty } from './harness';

const folder = mkdtempSync(join(tmpdir(), 'away-'));
const away = (page: Page) => page.getByText('The server does not answer');
/** What the browser itself says of calls that get no answer. */
const LOST = [/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|Failed to load resource/];
const owner = { name: 'Ada', email: 'ada@example.org', credential: 'Long-enough-7' };

let port: number;

beforeAll(async () => {
  if (!missing) port = await freePort();
});

afterAll(async () => {
  await closeBrowser();
  rmSync(folder, { recursive: true, force: true });
});

const start = () => startEmpty(folder, [], port);

describe.skipIf(missing)('a server that goes away', () => {
  test('leaves the page where it is, and the page goes on when it is back', async () => {
    let service = await start();
    const { page, context, close } = await open(service.page, { allowed: LOST });
    const made = await context.request.post('/api/v1/account/register', { data: { user: owner } });
    expect(made.ok()).toBe(true);
    const signedIn = await context.request.post('/api/v1/auth/login', {
      data: { email: owner.email, password: owner.credential },
    });
    expect(signedIn.ok()).toBe(true);
    await page.goto('/');
    await page.getByText('No flows yet').waitFor();

    await service.stop();
    // Neither the screen nor what it shows was loaded before.
    await page.getByRole('link', { name: 'Credentials' }).click();
    await away(page).waitFor();
    expect(await page.getByRole('navigation', { name: 'Main menu' }).isVisible()).toBe(true);
    await shot(page, 'away');
    // The screen that is on its way brings its heading along.
    await axe(page, { headings: 0 });

    service = await start();
    await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
    await expect.poll(() => away(page).count()).toBe(0);

    // What was loaded before stays on screen.
    await service.stop();
    await page.getByRole('link', { name: 'Flows' }).click();
    await page.getByText('No flows yet').waitFor();
    await page.getByRole('link', { name: 'Variables' }).click();
    await away(page).waitFor();
    service = await start();
    await page.getByRole('heading', { level: 1, name: 'Variables' }).waitFor();
    await close();
    await service.stop();
  });

  test('is waited for also by a page that knows nobody yet', async () => {
    const service = await start();
    const { page, close } = await open(service.page, { allowed: LOST });
    let refused = true;
    await page.route('**/api/v1/**', (route) =>
      refused ? route.abort('connectionrefused') : route.continue(),
    );
    await page.goto('/');
    await away(page).waitFor();
    refused = false;
    await page.getByLabel('E-mail').waitFor();
    await expect.poll(() => away(page).count()).toBe(0);
    await close();
    await service.stop();
  });

  test('is not blamed for a part that an upgrade took away', async () => {
    const service = await start();
    const { page, close } = await open(service.page, { allowed: [...LOST, /LostPart/] });
    await page.route('**/app/SignInPage-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto('/sign-in');
    // The page reloads once by itself, and then asks.
    await page.getByRole('heading', { name: 'A new version is available' }).waitFor();
    expect(await away(page).count()).toBe(0);
    await close();
    await service.stop();
  });
});
