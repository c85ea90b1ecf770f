// A shop whose page holds Flowise's chat widget, in a browser, before the service. Run with what `widget.mjs` says.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** The flows, as `flow.py` made them, by name. */
export const flows = JSON.parse(process.argv[2]);
const script = readFileSync(process.argv[3]);
const { apiKey } = JSON.parse(readFileSync(process.argv[4], 'utf8'));
const pictures = process.argv[5];
export const PATIENCE = { timeout: 20_000 };
/** What the model of this site suggests to ask next, whatever it is asked. */
export const SUGGESTED = ['Where is it now?', 'Can I change it?'];

let shown = '';
export const shop = await site();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

/** What the service says to its owner. */
export async function owner(method, path, body) {
  const said = await fetch(`${flows.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!said.ok) throw new Error(`${method} ${path}: ${said.status} ${await said.text()}`);
  return said.json();
}

/**
 * A site that holds the chat as a page of a shop would; what begins with /api goes on to the service, as behind one proxy, and
 * behind /model answers a model, as Ollama does.
 */
function site() {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url.split('?')[0];
    if (path.startsWith('/api/')) return pass(incoming, outgoing);
    if (path.startsWith('/model/')) return suggest(incoming, outgoing);
    const [kind, body] = path === '/web.js' ? ['text/javascript', script] : ['text/html; charset=utf-8', shown];
    return outgoing.writeHead(path === '/favicon.ico' ? 404 : 200, { 'content-type': kind }).end(body);
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => {
      done({ base: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() });
    });
  });
}

function suggest(incoming, outgoing) {
  const reply = { message: { role: 'assistant', content: JSON.stringify(SUGGESTED) }, done: true };
  incoming.resume().on('end', () => outgoing.end(`${JSON.stringify(reply)}\n`));
}

function pass(incoming, outgoing) {
  const to = new URL(incoming.url, flows.baseUrl);
  const headers = { ...incoming.headers, host: to.host };
  if (headers.origin) headers.origin = to.origin;
  const onward = request(to, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/** A visit of the shop with the chat of this flow open. With `cookies` its page has them sent to a service elsewhere. */
export async function visit(chatflowid, apiHost = shop.base, cookies = false) {
  const theme = { chatWindow: { showAgentMessages: true } };
  const options = JSON.stringify({ chatflowid, apiHost, theme });
  shown = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><h1>Socks</h1>
    <script type="module">import Chatbot from '/web.js';
    const onRequest = async (request) => { if (${cookies}) request.credentials = 'include'; };
    Chatbot.init({ ...${options}, onRequest });</script></body></html>`;
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  const page = await context.newPage();
  const faults = [];
  const asked = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (one) => {
    if (one.method() === 'POST' && one.url().includes('/prediction/')) asked.push(JSON.parse(one.postData()));
  });
  await page.goto(shop.base);
  await page.locator('flowise-chatbot button').first().click();
  return { page, chat: page.locator('flowise-chatbot'), faults, asked, close: () => context.close() };
}

let taken = 0;
export async function picture(page, name) {
  taken += 1;
  if (!pictures) return;
  // What slides in is there by then.
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(pictures, `${taken}-${name}.png`) });
}

export async function say({ page, chat }, text) {
  await chat.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
}

/** Takes these visits, one after the other, and closes the shop. */
export async function take(visits, said) {
  try {
    for (const one of visits) await one();
    console.log(`chat widget: ${said}`);
  } finally {
    await browser.close();
    shop.stop();
  }
}
