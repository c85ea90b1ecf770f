import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { conversation, type Drawing } from './canvases';
import { axe, closeBrowser, missing, open, shot, startEmpty, type Service } from './harness';

const PASSWORD = 'a long enough password of words';

/** The name of what has the focus, and what it is. */
function at(page: Page): Promise<{ name: string; role: string }> {
  return page.evaluate(() => {
    const here = document.activeElement;
    const labelled = (here?.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim();
    const labels = (here as HTMLInputElement | null)?.labels;
    const name =
      here?.getAttribute('aria-label') ?? (labelled || labels?.[0]?.textContent || here?.textContent) ?? '';
    return { name: name.trim(), role: here?.getAttribute('role') ?? here?.tagName.toLowerCase() ?? '' };
  });
}

/** Goes forward by Tab until it is there; everything on a page must be within reach. */
async function to(page: Page, name: string | RegExp, role?: string): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < 120; steps += 1) {
    const here = await at(page);
    const fits = typeof name === 'string' ? here.name === name : name.test(here.name);
    if (fits && (!role || here.role === role)) return;
    passed.push(here.name.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(name)} is not within reach of Tab: ${passed.join(' | ')}`);
}

async function press(page: Page, name: string | RegExp, role?: string): Promise<void> {
  await to(page, name, role);
  await page.keyboard.press('Enter');
}

/** Goes to a screen by the command menu. */
async function go(page: Page, screen: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type(screen);
  await page.getByRole('option', { name: screen }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

/** Calls as the person who is signed in, only to learn the definitions of cards. */
function asPerson(context: BrowserContext): Service {
  const call = async (method: string, path: string): Promise<unknown> =>
    (await context.request.fetch(`/api/v1${path}`, { method })).json();
  return { call } as unknown as Service;
}

describe.skipIf(missing)('the first hour', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowkeep-e2e-'));
  afterAll(async () => {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes from an empty folder to a flow that others use, by keyboard alone', async (test) => {
    const started = await startEmpty(folder);
    test.onTestFinished(() => started.stop());
    const { page, context, close } = await open(started.page, { allowed: [/favicon/] });
    const seen = async (name: string): Promise<void> => {
      await axe(page);
      await shot(page, `first-hour-${name}`);
    };

    // The owner.
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Set up Flowkeep' }).waitFor();
    await seen('setup');
    await to(page, /^Name/);
    await page.keyboard.type('Ada Byron');
    await to(page, /^E-mail/);
    await page.keyboard.type('ada@example.org');
    await to(page, /^Password/, 'input');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await page.getByText('No flows yet').waitFor();
    await seen('flows-empty');

    // A flow from a file.
    const drawing = await conversation(asPerson(context), [{ reply: 'One' }]);
    const choosing = page.waitForEvent('filechooser');
    await press(page, /^Import/);
    const file = { name: 'Support', type: 'CHATFLOW', flowData: drawing.text() };
    await (
      await choosing
    ).setFiles({
      name: 'support.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    });
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.getByRole('button', { name: 'Never published', exact: true }).waitFor();
    await seen('flow');

    await ask(page, 'One');
    await seen('chat');
    await page.keyboard.press('Escape');
    await publish(page, seen, 'publish-first');

    // A change to its JSON, and Live again.
    await edit(page, drawing, 'Two');
    await seen('json');
    await press(page, 'Save draft');
    await page.getByRole('button', { name: 'Unpublished changes', exact: true }).waitFor();
    await publish(page, seen, 'publish-again');

    // Its versions.
    await press(page, 'Versions', 'a');
    const list = page.getByRole('region', { name: 'Versions of this flow' });
    await list
      .getByText(/^Published: /)
      .nth(1)
      .waitFor();
    await seen('versions');
    await compareOlder(page, seen);
    await press(page, 'Roll back Live');
    await page.getByRole('alertdialog').getByText('1 changed').waitFor();
    await seen('roll-back');
    await press(page, 'Roll back Live');
    await page
      .getByText(/^Live is now version/)
      .first()
      .waitFor();
    await seen('rolled-back');

    // A key for a program.
    await go(page, 'API keys');
    await page.getByText('No API keys yet').waitFor();
    await seen('keys-empty');
    await press(page, 'New key');
    const panel = page.getByRole('dialog', { name: 'New key' });
    await panel.getByRole('group', { name: 'Chatflows' }).waitFor();
    await to(page, 'Name');
    await page.keyboard.type('Website');
    await to(page, 'Chatflows');
    await page.keyboard.press('Space');
    await seen('key-new');
    await press(page, 'Create key');
    await takeOnce(page, seen, 'key-once', 'I have stored it');
    await page.getByRole('row', { name: /Website/ }).waitFor();
    await seen('keys');

    // A person.
    await go(page, 'Users');
    await seen('users');
    await press(page, 'Invite');
    await page.getByRole('dialog', { name: 'Invite somebody' }).waitFor();
    await to(page, 'E-mail');
    await page.keyboard.type('grace@example.org');
    await seen('invite');
    await press(page, 'Create link');
    await takeOnce(page, seen, 'invite-once', 'I have copied it');
    await page.getByText('grace@example.org').first().waitFor();
    await seen('invited');
    await close();
  });
});

/** What is shown once: it closes after the tick. */
async function takeOnce(page: Page, seen: See, name: string, stored: string): Promise<void> {
  await page.getByRole('checkbox', { name: stored }).waitFor();
  await seen(name);
  await to(page, stored);
  await page.keyboard.press('Space');
  await press(page, 'Done');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Asks in the test panel and waits for the answer. */
async function ask(page: Page, answer: string): Promise<void> {
  await press(page, 'Test');
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await to(page, 'Message');
  await page.keyboard.type('Who are you?');
  await page.keyboard.press('Enter');
  await page.getByText(answer, { exact: true }).waitFor();
}

type See = (name: string) => Promise<void>;

async function publish(page: Page, seen: See, name: string): Promise<void> {
  await press(page, 'Publish');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  await expect
    .poll(() => dialog.getByRole('button', { name: 'Publish', exact: true }).isEnabled())
    .toBe(true);
  await seen(name);
  await press(page, 'Publish');
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
}

async function edit(page: Page, drawing: Drawing, reply: string): Promise<void> {
  await to(page, /^Edit JSON$|^Canvas$/);
  await page.keyboard.press('End');
  await expect.poll(async () => (await at(page)).name).toBe('Edit JSON');
  await page.keyboard.press('Space');
  await page.locator('.cm-content').waitFor();
  await to(page, /^JSON of/);
  await page.keyboard.press('Control+A');
  drawing.node('chatScripted_0').data.inputs.rules = JSON.stringify([{ reply }]);
  await page.keyboard.insertText(drawing.text());
}

/** Opens the version before the newest one, and compares it with Live. */
async function compareOlder(page: Page, seen: See): Promise<void> {
  await to(page, /^Published: /, 'a');
  await page.keyboard.press('Tab');
  await to(page, /^Published: /, 'a');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('button', { name: 'Roll back Live' }).isEnabled()).toBe(true);
  await seen('version');
  await press(page, /^Compare with/);
  await page.getByRole('option', { name: 'Live as it is now' }).waitFor();
  await page.keyboard.type('Live');
  await page.keyboard.press('Enter');
  await page
    .getByRole('region', { name: 'What differs' })
    .getByRole('button', { name: 'Scripted Chat Model', exact: true })
    .waitFor();
  await seen('compare');
}
