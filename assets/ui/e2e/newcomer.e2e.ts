/**
 * The first hour of somebody who has an empty folder, a browser, and no manual. Nothing but the page is touched. What
 * it takes is counted: clicks, fields that are typed into, seconds; `tests/bench/README.md` holds the counts. No address is
 * typed after the first.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { axe, closeBrowser, freePort, missing, open, shot, startEmpty } from './harness';
import { listen } from './widget-support';

const PASSWORD = 'a long enough password of words';
const ASKED = 'How long does delivery take?';
const BEFORE = 'Delivery takes two to four days.';

/** The hands of the newcomer, and what they did. */
class Newcomer {
  readonly page: Page;
  readonly #told: string[] = [];
  #clicks = 0;
  #fields = 0;
  #began = Date.now();
  #all = { clicks: 0, fields: 0, seconds: 0 };

  constructor(page: Page) {
    page.setDefaultTimeout(15_000);
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.#clicks += 1;
  }

  async type(target: Locator, text: string): Promise<void> {
    await target.fill(text);
    this.#fields += 1;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' }).first();
  }

  /** Ends a step: a picture of what is there now, and what it took. */
  async ends(step: string): Promise<void> {
    const seconds = (Date.now() - this.#began) / 1000;
    await shot(
      this.page,
      `newcomer-${String(this.#told.length + 1).padStart(2, '0')}-${step.replace(/\W+/g, '-')}`,
    );
    await axe(this.page);
    this.#told.push(`| ${step} | ${this.#clicks} | ${this.#fields} | ${seconds.toFixed(1)} |`);
    this.#all = {
      clicks: this.#all.clicks + this.#clicks,
      fields: this.#all.fields + this.#fields,
      seconds: this.#all.seconds + seconds,
    };
    [this.#clicks, this.#fields, this.#began] = [0, 0, Date.now()];
  }

  get table(): string {
    const { clicks, fields, seconds } = this.#all;
    return [
      '| Step | Clicks | Fields | Seconds |',
      '|---|---|---|---|',
      ...this.#told,
      `| In all | ${clicks} | ${fields} | ${seconds.toFixed(0)} |`,
    ].join('\n');
  }
}

/** A page of another site, which holds what the page of Flowkeep gave for it. */
async function shop(snippet: string): Promise<{ address: string; close: () => void }> {
  const server = createServer((_, answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"></head><body><h1>Shop</h1>${snippet}</body></html>`,
      ),
  );
  return { address: await listen(server), close: () => server.close() };
}

describe.skipIf(missing)('a newcomer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowkeep-e2e-'));
  afterAll(async () => {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  });

  it('comes from an empty folder to a flow that strangers ask, and back from a fault', async (test) => {
    const port = await freePort();
    const started = await startEmpty(folder, [], port);
    test.onTestFinished(() => started.stop());
    const { page, context, close } = await open(started.page, { width: 1440, height: 900 });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const person = new Newcomer(page);

    await page.goto('/');
    await person.type(page.getByLabel('Name'), 'Ada Byron');
    await person.type(page.getByLabel('E-mail'), 'ada@example.org');
    await person.type(page.getByLabel('Password', { exact: true }), PASSWORD);
    await person.click(page.locator('button[type=submit]'));
    await page.getByText('No flows yet').waitFor();
    await person.ends('owner');

    // A template, whose built-in model says what it is.
    await person.click(
      page
        .getByRole('main')
        .getByRole('link', { name: /template/i })
        .first(),
    );
    await person.click(person.button('Support answers'));
    const use = page.getByRole('dialog', { name: 'Support answers' });
    await use.locator('[data-node]').first().waitFor();
    await use.getByRole('combobox', { name: 'Model' }).first().waitFor();
    await person.ends('model');
    await person.click(use.getByRole('button', { name: 'Use template' }));
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.locator('[data-node]').first().waitFor();
    await person.ends('template');

    // A change to what it knows.
    const panel = page.getByRole('complementary', { name: 'Node' });
    const text = panel.locator('[data-param=text]').getByRole('textbox');
    const card = page.locator('[data-node="plainText_0"]');
    const write = async (words: string): Promise<void> => {
      // A card that is open stays open.
      if (!(await text.isVisible())) await person.click(card);
      await person.type(text, words);
      await text.blur();
      await page.getByText('Saved', { exact: true }).first().waitFor();
    };
    await write(`${BEFORE} Returns are free within thirty days.`);
    await person.ends('change');

    const ask = async (answer: RegExp): Promise<void> => {
      await person.click(person.button('Test'));
      await person.type(page.getByRole('textbox', { name: 'Message' }), ASKED);
      await page.keyboard.press('Enter');
      await page.getByText(answer).first().waitFor();
    };
    await ask(/two to four days/);
    await person.ends('test chat');

    const publish = async (): Promise<void> => {
      await person.click(person.button('Publish'));
      const dialog = page.getByRole('dialog', { name: /Publish/ });
      await person.click(dialog.getByRole('button', { name: 'Publish', exact: true }));
      await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    };
    await publish();
    await person.ends('publish');

    // On a page of another site, asked by a stranger.
    await person.click(person.button('API'));
    await person.click(page.getByRole('tab', { name: 'Embed' }));
    await person.click(person.button('Copy HTML code'));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // While the page comes from elsewhere than the program, only the program gives the widget to other sites.
    const snippet = copied.replaceAll(started.page, `http://127.0.0.1:${port}`);
    expect(snippet).toContain('<script');
    await person.ends('embed');
    const site = await shop(snippet);
    test.onTestFinished(() => site.close());
    const stranger = await open(site.address);
    await stranger.page.goto('/');
    await stranger.page.getByRole('button', { name: /chat/i }).first().click();
    const box = stranger.page.getByRole('textbox', { name: 'Type your question' });
    await box.fill(ASKED);
    await stranger.page.keyboard.press('Enter');
    await stranger.page
      .getByText(/two to four days/)
      .first()
      .waitFor();
    await shot(stranger.page, 'newcomer-stranger');
    await stranger.close();
    await page.keyboard.press('Escape');
    await person.ends('a stranger asks');

    // The sidebar's, over all flows; the page of the flow has one of its own.
    await person.click(page.getByRole('link', { name: 'Conversations', exact: true }).first());
    const table = page.getByRole('table', { name: 'Conversations' });
    await table.getByText('API and widget').first().waitFor();
    await person.click(
      table.getByRole('row').filter({ hasText: 'API and widget' }).getByRole('link').first(),
    );
    await page
      .getByText(/two to four days/)
      .first()
      .waitFor();
    await person.ends('seen under conversations');

    // A check that passes, then one that reports a fault.
    const check = async (heading: RegExp): Promise<void> => {
      await person.click(person.button('Publish'));
      const dialog = page.getByRole('dialog');
      await person.click(dialog.getByRole('tab', { name: 'Check' }));
      await person.click(dialog.getByRole('button', { name: /^(Start the check|Run again)$/ }));
      await dialog.getByRole('heading', { name: heading }).waitFor({ timeout: 60_000 });
    };
    await person.click(page.getByRole('link', { name: 'Flows', exact: true }));
    await person.click(page.getByRole('link', { name: 'Support answers' }).first());
    await card.waitFor();
    await write(`${BEFORE} Returns are free within thirty days. Our office is in Bern.`);
    await check(/^The check reports no change/);
    await person.ends('a check that passes');
    await page.keyboard.press('Escape');
    await write('Delivery takes nine weeks. Returns are free within thirty days.');
    await check(/^The check reports a change/);
    await person.ends('a check that reports a fault');

    // Published all the same, seen, and rolled back.
    const dialog = page.getByRole('dialog');
    await person.click(dialog.getByRole('button', { name: 'Publish', exact: true }));
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await person.click(page.getByRole('link', { name: 'Versions' }));
    const versions = page.getByRole('region', { name: 'Versions of this flow' });
    await person.click(versions.getByRole('link', { name: /^Published: / }).nth(1));
    await person.click(person.button('Roll back Live'));
    await person.click(page.getByRole('alertdialog').getByRole('button', { name: 'Roll back Live' }));
    await page
      .getByText(/^Live is now version/)
      .first()
      .waitFor();
    await person.ends('rolled back');

    // A document for its knowledge, which answers in the draft at once. It takes the place of the text that came with the template.
    await person.click(page.getByRole('link', { name: 'Editor', exact: true }));
    const search = page.locator('[data-node="memoryVectorStore_0"]');
    await person.click(search);
    await panel.waitFor();
    await search.press('Delete');
    await search.waitFor({ state: 'detached' });
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await person.click(page.getByRole('link', { name: 'Knowledge', exact: true }));
    await person.click(person.button('New store'));
    await person.type(page.getByRole('dialog').getByLabel('Name'), 'Handbook');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Handbook' }).waitFor();
    await person.click(person.button('Add documents'));
    const form = page.getByRole('dialog', { name: 'Add documents' });
    const file = join(folder, 'repairs.txt');
    writeFileSync(file, 'A repair takes ten days. Write to repairs@shop.example first.');
    await form.locator('input[type=file]').first().setInputFiles(file);
    await person.click(form.getByRole('button', { name: 'Add and process' }));
    await page.getByText('“repairs.txt” was processed').first().waitFor();
    await person.click(page.getByRole('tab', { name: /Search/ }));
    await person.click(person.button('Fill now'));
    await page
      .getByText(/Filled: \d+ added/)
      .first()
      .waitFor();
    await person.click(person.button('Use in a flow'));
    await shot(page, 'newcomer-use');
    await person.click(page.getByRole('option', { name: 'Support answers' }));
    await page.waitForURL(/\/flows\//);
    await page.locator('[data-node]').filter({ hasText: 'Document Store' }).waitFor();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await person.click(person.button('Test'));
    await person.type(page.getByRole('textbox', { name: 'Message' }), 'How long does a repair take?');
    await page.keyboard.press('Enter');
    await page
      .getByText(/takes ten days/)
      .first()
      .waitFor();
    await person.ends('a document in its knowledge');

    // A colleague who may look and not change.
    await person.click(page.getByRole('link', { name: 'Users', exact: true }));
    await person.click(person.button('Invite'));
    await person.type(page.getByLabel('E-mail'), 'grace@example.org');
    await person.click(page.getByRole('combobox', { name: 'Role' }));
    await person.click(page.getByRole('option', { name: /^Viewer/ }));
    await person.click(person.button('Create link'));
    const once = page.getByRole('dialog', { name: 'Invitation for grace@example.org' });
    const link = await once.locator('code').innerText();
    await person.ends('an invitation');
    const colleague = await open(started.page);
    await colleague.page.goto(link);
    await colleague.page.getByLabel('Name').fill('Grace Hopper');
    await colleague.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await colleague.page.getByRole('button', { name: 'Accept invitation' }).click();
    await colleague.page.getByRole('link', { name: 'Support answers' }).first().waitFor();
    expect(await colleague.page.getByRole('button', { name: 'New flow' }).count()).toBe(0);
    await shot(colleague.page, 'newcomer-colleague');
    await colleague.close();

    console.log(person.table);
    writeFileSync('e2e/shots/newcomer.md', `${person.table}\n`);
    await close();
  }, 300_000);
});
