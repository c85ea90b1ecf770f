/** How the server is, for its owner: what needs somebody, settings, and the newest lines of its log. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axe, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

/** A server on which something fails: a service of tests does not reach that by itself. */
const failing = {
  version: '1.2.3',
  startedAt: new Date(Date.now() - 7_200_000).toISOString(),
  uptimeSeconds: 7200,
  environment: 'dev',
  settings: [
    {
      name: 'SERVICE_PORT',
      value: '3000',
      secret: false,
      set: true,
      origin: 'environment',
      help: 'the port it listens on',
    },
    {
      name: 'SERVICE_DATA_DIR',
      value: 'data',
      secret: false,
      set: true,
      origin: 'argument',
      help: 'the folder for everything it keeps',
    },
    {
      name: 'SERVICE_SMTP_PASSWORD',
      value: null,
      secret: true,
      set: true,
      origin: 'file',
      help: 'the password for the mail server',
    },
    {
      name: 'SERVICE_METRICS_TOKEN',
      value: null,
      secret: true,
      set: false,
      origin: 'default',
      help: 'what a reader of metrics has to send',
    },
  ],
  disk: { folder: 'data', bytes: 1_340_000_000, free: 210_000_000 },
  database: { state: 'well', bytes: 840_000_000, error: null },
  history: { state: 'failing', versions: null, bytes: 0, error: 'The folder of the history is read-only.' },
  copy: { state: 'stopped', sentence: 'The host refused the token: connect it again.' },
  backup: {
    every: 86_400,
    directory: true,
    lastAt: new Date(Date.now() - 3_600_000).toISOString(),
    lastBytes: 420_000_000,
    error: null,
  },
  sessions: 4,
  keys: 7,
  metrics: true,
  mail: {
    server: 'mail.example.org:587',
    waiting: 3,
    givenUp: 0,
    lastSentAt: null,
    lastFailedAt: '2026-11-29T10:00:00Z',
    lastFailure: 'The mail server refused the sign-in.',
    error: 'The mail server refused the sign-in.',
  },
  compaction: { last: null, error: null },
  tracing: false,
  problems: [
    'The history cannot be written: the folder of the history is read-only.',
    'The copy at the git host stopped: the host refused the token.',
  ],
};
const line = (level: string, message: string, fields = {}) => ({
  at: '2026-11-29T10:00:00.123Z',
  level,
  target: 'flowkeep::history',
  message,
  fields,
});
const lines = [
  line('error', 'The history could not be written', { flow: '3f1d6c1e' }),
  line('warn', 'A provider was slow', { seconds: '12' }),
  line('info', 'Started'),
];

async function tell(page: Page): Promise<void> {
  await page.route('**/api/v1/server', (route) => route.fulfill({ json: failing }));
  await page.route('**/api/v1/server/log?*', (route) => {
    const level = new URL(route.request().url()).searchParams.get('level');
    const shown = level === 'error' ? 1 : level === 'warn' ? 2 : 3;
    return route.fulfill({ json: { lines: lines.slice(0, shown), dropped: 12 } });
  });
}

describe.skipIf(missing)('the server', () => {
  const { signedIn } = serviceForTests();

  it('says first what needs somebody, then how each part is', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tell(page);
    await page.goto('/server');
    const problems = page.getByRole('alert').getByRole('listitem');
    await expect.poll(() => problems.count()).toBe(2);
    await page.getByText('It is well and has 840 MB.').waitFor();
    await page
      .getByText('They are made at intervals of 1 day. The last one was made 1 hour ago and has 420 MB.')
      .waitFor();
    await page.getByText('The mail server refused the sign-in.').waitFor();
    await page.getByText('None was needed since the server started.').waitFor();
    await page.getByText('The data folder data takes 1.3 GB; 210 MB are free.').waitFor();
    await page.getByRole('link', { name: 'Git copy' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Git copy' }).waitFor();
    await close();
  });

  it('finds a setting by what it does, and never tells a secret', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tell(page);
    await page.goto('/server?tab=settings');
    const rows = page.getByRole('table', { name: 'Settings' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(5);
    await rows.filter({ hasText: 'SERVICE_SMTP_PASSWORD' }).getByText('set', { exact: true }).waitFor();
    await rows.filter({ hasText: 'SERVICE_METRICS_TOKEN' }).getByText('not set', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('folder');
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await rows.filter({ hasText: 'SERVICE_DATA_DIR' }).getByText('Command line').waitFor();
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('nothing of that name');
    await page.getByText('Nothing found').waitFor();
    await axe(page);
    await close();
  });

  it('shows lines of its log by level, and stands still while it is paused', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tell(page);
    await page.goto('/server?tab=log');
    const rows = page.getByRole('table', { name: 'Log' }).getByRole('rowheader');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByText('12 lines of the last hour made room for newer ones.').waitFor();
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: 'Errors', exact: true }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.waitForURL(/level=error/);
    let asked = 0;
    await page.route('**/api/v1/server/log?*', (route) => {
      asked += 1;
      return route.fulfill({ json: { lines: [], dropped: 0 } });
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: new lines are not shown.').waitFor();
    const before = asked;
    await axe(page);
    expect(asked - before).toBeLessThan(2);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Nothing was written in the last hour').waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await close();
  });

  it('is walked through by keyboard', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    await tell(page);
    await page.goto('/server');
    await page.getByRole('tab', { name: 'Health' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/tab=settings/);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/tab=log/);
    await page.getByRole('table', { name: 'Log' }).waitFor();
    await close();
  });

  it('is readable at every width in both themes', async () => {
    for (const look of LOOKS) {
      const { page, close } = await signedIn('/favicon.svg', look);
      await tell(page);
      for (const tab of ['health', 'settings', 'log']) {
        await page.goto(`/server?tab=${tab}`);
        await page.getByRole('tabpanel').locator('dl, table').first().waitFor();
        await axe(page);
        await page.screenshot({
          path: `e2e/shots/server-${tab}-${look.width}-${look.scheme}.png`,
          fullPage: true,
        });
        expect(await overflows(page), `${tab} at ${look.width}`).toBe(false);
      }
      await close();
    }
  }, 180_000);

  it('says when the clock of this computer is another, and goes by its own', async () => {
    const { page, close } = await signedIn('/server');
    await page.getByRole('heading', { level: 1, name: 'Server' }).waitFor();
    expect(await page.getByText(/^The clock of this computer/).count()).toBe(0);
    await page.clock.setFixedTime(Date.now() - 2 * 3_600_000);
    await page.reload();
    await page.getByText('The clock of this computer is 2 hours behind the server’s.').waitFor();
    await axe(page);
    await shot(page, 'server-clock');
    // What was begun a moment ago is not of the future.
    expect(await page.getByText(/in 2 hours/).count()).toBe(0);
    await close();
  });
});
