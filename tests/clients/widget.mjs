// Flowise's chat widget in a browser, before agentflows: it shows the steps, asks a person and goes on after the click,
// has a tool of an Agent approved, and starts a flow with its form. `widget.mjs FLOWS SCRIPT READY [PICTURES]`: the flows as
// JSON, the widget's script as it is published, what the service said when it was ready, and a folder that pictures are left
// in when it is named.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const { baseUrl, approval, tool, form } = JSON.parse(process.argv[2]);
const script = readFileSync(process.argv[3]);
const { apiKey } = JSON.parse(readFileSync(process.argv[4], 'utf8'));
const pictures = process.argv[5];
const PATIENCE = { timeout: 20_000 };

let shown = '';
const shop = await site();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

/** A site that holds the chat as a page of a shop would; what begins with /api goes on to the service, as behind one proxy. */
function site() {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url.split('?')[0];
    if (path.startsWith('/api/')) return pass(incoming, outgoing);
    const [kind, body] = path === '/web.js' ? ['text/javascript', script] : ['text/html; charset=utf-8', shown];
    return outgoing.writeHead(path === '/favicon.ico' ? 404 : 200, { 'content-type': kind }).end(body);
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => {
      done({ base: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() });
    });
  });
}

function pass(incoming, outgoing) {
  const to = new URL(incoming.url, baseUrl);
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
async function visit(chatflowid, apiHost = shop.base, cookies = false) {
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
async function picture(page, name) {
  taken += 1;
  if (!pictures) return;
  // What slides in is there by then.
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(pictures, `${taken}-${name}.png`) });
}

async function say({ page, chat }, text) {
  await chat.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
}

/** Clicks a button below the newest message, and sends what the person writes beside it. */
async function decide({ page, chat }, button, feedback) {
  await chat.getByText(button, { exact: true }).last().click(PATIENCE);
  await page.locator('textarea').last().fill(feedback);
  await picture(page, button.toLowerCase());
  await page.getByText('Submit', { exact: true }).last().click(PATIENCE);
}

async function looksAtSteps({ page, chat }) {
  await chat.getByText('Traces', { exact: true }).last().click(PATIENCE);
  await page.getByText('Process Flow').waitFor(PATIENCE);
  for (const step of ['Start', 'Writer']) await page.getByText(step, { exact: true }).first().waitFor(PATIENCE);
  await picture(page, 'steps');
}

/** A person refuses once, with a word about why, and then agrees. */
async function approves() {
  const seen = await visit(approval);
  await say(seen, 'socks');
  await seen.chat.getByText('A draft about socks.').waitFor(PATIENCE);
  await seen.chat.getByText('Proceed', { exact: true }).waitFor(PATIENCE);
  await picture(seen.page, 'asked');
  await decide(seen, 'Reject', 'Please be kind');
  await seen.chat.getByText('A kind draft.').waitFor(PATIENCE);
  await seen.chat.getByText('Proceed', { exact: true }).last().waitFor(PATIENCE);
  await decide(seen, 'Proceed', '');
  await seen.chat.getByText('Sent: A kind draft.').waitFor(PATIENCE);
  await picture(seen.page, 'sent');
  const decided = seen.asked.map(({ humanInput }) => humanInput?.type);
  assert.deepEqual(decided, [undefined, 'reject', 'proceed']);
  await looksAtSteps(seen);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

/** A person lets an Agent call its tool in one conversation, and refuses it in another. */
async function approvesTools() {
  for (const [button, type, said] of [
    ['Proceed', 'proceed', 'It is 42.'],
    ['Reject', 'reject', 'Then I do not know.'],
  ]) {
    const seen = await visit(tool);
    await say(seen, 'How much?');
    await seen.chat.getByText('calculator').first().waitFor(PATIENCE);
    await seen.chat.getByText(button, { exact: true }).last().click(PATIENCE);
    await seen.chat.getByText(said).waitFor(PATIENCE);
    await picture(seen.page, `tool-${type}`);
    const decided = seen.asked.map(({ humanInput }) => humanInput?.type);
    assert.deepEqual(decided, [undefined, type]);
    assert.deepEqual(seen.faults, []);
    await seen.close();
  }
}

/** The form is filled in, and what is asked later counts on it. */
async function fills() {
  const seen = await visit(form);
  const field = (name) => seen.page.locator(`[name=${name}]`);
  await seen.page.getByText('Order of socks').waitFor(PATIENCE);
  await picture(seen.page, 'form');
  await field('name').fill('Ann');
  await field('count').fill('3');
  await field('wrapped').check();
  await field('colour').selectOption('blue');
  await seen.page.getByText('Submit', { exact: true }).click();
  const said = 'Ann: 3 of blue, wrapped true.';
  await seen.chat.getByText(said).waitFor(PATIENCE);
  await picture(seen.page, 'form-answered');
  assert.deepEqual(seen.asked[0].form, { name: 'Ann', count: 3, wrapped: true, colour: 'blue' });
  await say(seen, 'The same again');
  await seen.chat.getByText(said).nth(1).waitFor(PATIENCE);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

/** On another origin the owner lists the page, and the page has its requests carry the cookie. */
async function approvesElsewhere() {
  const settings = { chatbotConfig: JSON.stringify({ allowedOrigins: [shop.base] }) };
  const saved = await fetch(`${baseUrl}/api/v1/chatflows/${approval}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  assert.equal(saved.status, 200);
  const seen = await visit(approval, baseUrl, true);
  await say(seen, 'ropes');
  await seen.chat.getByText('Proceed', { exact: true }).waitFor(PATIENCE);
  await decide(seen, 'Proceed', '');
  await seen.chat.getByText('Sent: A draft about ropes.').waitFor(PATIENCE);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

try {
  await approves();
  await approvesTools();
  await fills();
  await approvesElsewhere();
  console.log('chat widget: showed steps, asked a person, had a tool approved, started with a form');
} finally {
  await browser.close();
  shop.stop();
}
