import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { conversation, makeFlow } from './canvases';
import { hostForTests, TOKEN } from './git-support';
import { axe, focused, missing, overflows, shot, type OpenOptions, type Opened } from './harness';

const status = {
  enabled: true,
  connected: true,
  credential: { id: '4e0f4a4e-1111-4c4c-8888-000000000000', name: 'GitHub: team/flows' },
  repo: 'team/flows',
  url: 'https://github.com/team/flows',
  host: 'GitHub',
  hostUrl: 'https://github.com',
  message: null,
  waiting: 0,
  lastCopiedAt: '2026-01-01T00:00:00Z',
  lastCopiedVersion: 'abcdef0',
  nextTryAt: null,
  connectedAt: '2026-01-01T00:00:00Z',
  environment: 'dev',
  role: 'copy',
  lastCheckedAt: null,
  incomingVersion: null,
};
const soon = (): string => new Date(Date.now() + 185_000).toISOString();
const states: [string, object, RegExp][] = [
  [
    'not-connected',
    { connected: false, credential: null, repo: null, url: null, environment: null },
    /on this server alone/,
  ],
  ['up-to-date', {}, /Every version is on GitHub/],
  ['waiting', { waiting: 3 }, /3 versions are copied in a few seconds/],
  ['copying', { waiting: 1200 }, /on their way to GitHub/],
  [
    'retrying',
    { waiting: 2, message: 'GitHub cannot be reached.', nextTryAt: soon() },
    /tried again by itself/,
  ],
  [
    'stopped',
    {
      waiting: 5,
      message:
        'GitHub has commits on main that this server does not have, so nothing is copied. Remove them there, or connect an empty repository.',
    },
    /until you put this right/,
  ],
  ['off', { enabled: false, connected: false, credential: null, repo: null, url: null }, /nothing to copy/],
];

const looks = (['light', 'dark'] as const).flatMap((scheme) =>
  [390, 1024, 1440].map((width) => [scheme, width] as const),
);

describe.skipIf(missing)('the copy at a git host', () => {
  const { host, copying } = hostForTests('copying');
  const signedIn = (path: string, options: OpenOptions = {}): Promise<Opened> =>
    copying.signedIn(path, options);
  const title = (page: Page, words: string): Promise<void> =>
    page.getByRole('status').filter({ hasText: words }).first().waitFor();

  it('tells each of the seven states in one sentence, with what to do next', async () => {
    for (const [at, [scheme, width]] of looks.entries()) {
      const { page, close } = await signedIn('/account', { scheme, width, height: 860 });
      for (const [state, part, sentence] of states) {
        await page.unrouteAll();
        await page.route('**/flow-versions/github', (route) =>
          route.fulfill({ json: { ...status, state, ...part } }),
        );
        await page.goto('/git-copy');
        await page.getByText(sentence).waitFor();
        await shot(page, `gitcopy-${state}-${width}-${scheme}`);
        if (at === 0) await axe(page);
        const wide = await overflows(page);
        expect(wide, `${state} at ${width}`).toBe(false);
      }
      await close();
    }
  }, 300_000);

  it('says what a token that is not taken lacks, and creates a repository', async () => {
    const { page, close } = await signedIn('/git-copy', { allowed: [/github\/repos.*4\d\d/] });
    await page.getByRole('button', { name: 'Connect a repository' }).click();
    const dialog = page.getByRole('dialog');
    const token = dialog.getByLabel(/^Token of/);
    await token.fill('another-token');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('alert').first().waitFor();
    await shot(page, 'gitcopy-token-refused');
    await axe(page);
    await token.fill(TOKEN);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const website = dialog.getByRole('radio', { name: 'ada/website' });
    await website.waitFor();
    expect(await dialog.getByRole('radio', { name: 'ada/old' }).count()).toBe(0);
    await website.check();
    await dialog.getByText(/Everybody can read this repository/).waitFor();
    await shot(page, 'gitcopy-repositories');
    await axe(page);
    await dialog.getByRole('button', { name: 'Create a repository' }).click();
    const name = dialog.getByLabel('Name of the new repository');
    await name.fill('website');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').first().waitFor();
    await name.fill('scratch');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect.poll(() => dialog.getByRole('radio', { name: 'ada/scratch' }).isChecked()).toBe(true);
    await close();
  });

  it('connects by keyboard alone, copies, and is labelled Dev on every page', async () => {
    host.make('ada/flows');
    await makeFlow(copying.service, 'Support', await conversation(copying.service, [{ reply: 'Hello.' }]));
    const { page, close } = await signedIn('/git-copy');
    await page.getByRole('button', { name: 'Connect a repository' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('type')))
      .toBe('password');
    await page.keyboard.type(TOKEN);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Find a repository').fill('flows');
    await dialog.getByRole('radio', { name: 'ada/flows' }).focus();
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Continue' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('radio', { name: 'Not labelled' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => dialog.getByRole('radio', { name: 'Dev' }).isChecked()).toBe(true);
    await shot(page, 'gitcopy-label');
    await axe(page);
    await dialog.getByRole('button', { name: 'Connect' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Connected to ada/flows').first().waitFor();
    await title(page, 'Up to date');
    expect(await focused(page)).not.toBe('');
    expect(Number(host.git('ada/flows', 'rev-list', '--count', 'main'))).toBeGreaterThan(1);
    await shot(page, 'gitcopy-connected');
    await axe(page);
    // The token is nowhere on the page, not even where it was typed.
    expect(await page.content()).not.toContain(TOKEN);
    for (const path of ['/', '/credentials', '/account']) {
      await page.goto(path);
      await page.getByTitle('This server is labelled Dev').first().waitFor();
    }
    await page.setViewportSize({ width: 390, height: 780 });
    await page.getByTitle('This server is labelled Dev').last().waitFor();
    await shot(page, 'badge-dev-narrow');
    await page.goto('/credentials');
    await page.getByText('GitHub: ada/flows').first().waitFor();
    await close();
  });

  it('copies what is saved later by itself', async () => {
    const before = host.git('ada/flows', 'rev-parse', 'main');
    const { page, close } = await signedIn('/git-copy');
    await title(page, 'Up to date');
    await makeFlow(copying.service, 'Sales', await conversation(copying.service, [{ reply: 'Bye.' }]));
    await expect.poll(() => host.git('ada/flows', 'rev-parse', 'main'), { timeout: 20_000 }).not.toBe(before);
    await title(page, 'Up to date');
    await close();
  });

  it('stops where the repository has commits of others, and goes on when they are gone', async () => {
    const ours = host.git('ada/flows', 'rev-parse', 'main');
    const other = mkdtempSync(join(tmpdir(), 'flowkeep-other-'));
    const repository = host.git('ada/flows', 'rev-parse', '--absolute-git-dir');
    const run = (...args: string[]): void => {
      execFileSync('git', ['-C', other, ...args], { stdio: 'ignore' });
    };
    run('clone', '--quiet', repository, '.');
    run('-c', 'user.name=Else', '-c', 'user.email=e@example.org', 'commit', '--allow-empty', '-m', 'Mine');
    run('push', '--quiet', 'origin', 'HEAD:main');
    rmSync(other, { recursive: true, force: true });
    const { page, close } = await signedIn('/git-copy', { scheme: 'dark' });
    await page.getByRole('button', { name: 'Copy now' }).click();
    await title(page, 'Stopped');
    await page.getByText(/has commits on main that this server does not have/).waitFor();
    await shot(page, 'gitcopy-stopped-dark');
    host.git('ada/flows', 'update-ref', 'refs/heads/main', ours);
    await page.getByRole('button', { name: 'Try again now' }).click();
    await title(page, 'Up to date');
    await close();
  });

  it('says that the repository is away, keeps what waits, and copies it when it is back', async () => {
    const repository = host.git('ada/flows', 'rev-parse', '--absolute-git-dir');
    const before = host.git('ada/flows', 'rev-parse', 'main');
    renameSync(repository, `${repository}.away`);
    await makeFlow(copying.service, 'Later', await conversation(copying.service, [{ reply: 'Later.' }]));
    const { page, close } = await signedIn('/git-copy', { scheme: 'dark' });
    await page
      .getByRole('status')
      .filter({ hasText: /Stopped|Trying again/ })
      .first()
      .waitFor();
    await page
      .getByText(/\d+ versions?$/)
      .first()
      .waitFor();
    await shot(page, 'gitcopy-away-dark');
    await axe(page);
    renameSync(`${repository}.away`, repository);
    await page.getByRole('button', { name: 'Try again now' }).click();
    await title(page, 'Up to date');
    await expect.poll(() => host.git('ada/flows', 'rev-parse', 'main')).not.toBe(before);
    await close();
  });

  it('disconnects after asking, and leaves the repository as it is', async () => {
    const before = host.git('ada/flows', 'rev-parse', 'main');
    const { page, close } = await signedIn('/git-copy');
    expect(await page.getByRole('radio', { name: 'Prod' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/the credential stays/).waitFor();
    await shot(page, 'gitcopy-disconnect');
    await axe(page);
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await title(page, 'Not connected');
    expect(host.git('ada/flows', 'rev-parse', 'main')).toBe(before);
    await close();
  });
});
