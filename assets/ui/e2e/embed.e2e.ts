import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, missing } from './harness';
import { service, shop, site, visit, type Service, type Site } from './widget-support';

/** The common third-party embed, as it is published. It is fetched for this test and is no part of the page. */
const PACKAGE = 'flowise-embed@3.1.6';
const folder = mkdtempSync(join(tmpdir(), 'embed-'));
const script = fetchScript();
const ready = !missing && Boolean(script);
if (!ready) console.log(`skipped: needs Chromium, the built service and ${PACKAGE} from the package index`);

function fetchScript(): string | undefined {
  const quiet = { cwd: folder, stdio: 'ignore' as const, timeout: 60_000 };
  try {
    execFileSync('npm', ['pack', PACKAGE, '--silent'], quiet);
    execFileSync('tar', ['xzf', 'flowise-embed-3.1.6.tgz'], quiet);
    return join(folder, 'package/dist/web.js');
  } catch {
    return undefined;
  }
}

let running: Service;
let own: Site;
let other: Site;
let browser: Browser;

beforeAll(async () => {
  if (!ready || !script) return;
  running = await service();
  own = await site(running.base, { '/web.js': script });
  other = await site(undefined, { '/web.js': script });
  browser = await launch();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await browser?.close();
  for (const one of [running, own, other]) await one?.stop();
});

async function ask(page: Page, text: string): Promise<void> {
  const chat = page.locator('flowise-chatbot');
  await chat.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
  await chat.getByText(`You said: ${text}`).waitFor();
}

async function conversations(id: string): Promise<number> {
  const headers = { authorization: `Bearer ${running.key}` };
  const answer = await fetch(`${running.base}/api/v1/chatmessage/${id}`, { headers });
  const rows = (await answer.json()) as { chatId: string }[];
  expect(rows.length).toBe(4);
  return new Set(rows.map(({ chatId }) => chatId)).size;
}

async function asks(site_: Site, address: string, apiHost: string): Promise<number> {
  const id = await running.flow([]);
  site_.page = shop('/web.js', { chatflowid: id, apiHost });
  const { page, close } = await visit(browser, address);
  await page.locator('flowise-chatbot button').first().click();
  await ask(page, 'Hello');
  await ask(page, 'And more');
  await expect.poll(() => conversations(id)).toBeGreaterThan(0);
  const count = await conversations(id);
  await close();
  return count;
}

describe.skipIf(!ready)('the common embed', () => {
  test('asks and stays in its conversation on a page of the service', async () => {
    expect(await asks(own, own.base, own.base)).toBe(1);
  });

  test('asks in the conversation that the visitor left a name in', async () => {
    const leads = { status: true, title: 'Who are you?', name: true };
    const id = await running.flow([], { chatbotConfig: JSON.stringify({ leads }) });
    own.page = shop('/web.js', { chatflowid: id, apiHost: own.base });
    const { page, close } = await visit(browser, own.base);
    await page.locator('flowise-chatbot button').first().click();
    const chat = page.locator('flowise-chatbot');
    await chat.getByText('Who are you?').waitFor();
    await chat.locator('input[name=name]').fill('Ada');
    await page.keyboard.press('Enter');
    await chat.getByText('Thank you').waitFor();
    await ask(page, 'Hello');
    await ask(page, 'And more');
    await expect.poll(() => conversations(id)).toBe(1);
    const headers = { authorization: `Bearer ${running.key}` };
    const answer = await fetch(`${running.base}/api/v1/conversations/${id}?page=1&limit=5`, { headers });
    expect(await answer.json()).toMatchObject({ data: [{ leadName: 'Ada' }], total: 1 });
    await close();
  });

  // It sends no cookie to another origin and knows no header for the proof, so each question starts anew.
  test('asks from a page of another site', async () => {
    const elsewhere = other.base.replace('127.0.0.1', 'localhost');
    expect(await asks(other, elsewhere, running.base)).toBe(2);
  });
});
