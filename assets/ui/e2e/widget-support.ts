import { existsSync, readFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeSource, missing, startService } from './harness';

const ROOT = resolve(import.meta.dirname, '../../..');
export const DIST = join(ROOT, 'assets/dist');

/** What the tests of chats need is there. */
export const ready = !missing && existsSync(join(DIST, 'widget.js'));

export interface Service {
  base: string;
  key: string;
  stop: () => Promise<void>;
  flow: (rules: unknown[], more?: Record<string, unknown>) => Promise<string>;
}

/** The service with an empty data folder, forgotten when it stops. */
export async function service(): Promise<Service> {
  const { baseUrl, apiKey, call, stop } = await startService();
  const flow = async (rules: unknown[], more: Record<string, unknown> = {}): Promise<string> => {
    const body = {
      name: 'Shop help',
      type: 'CHATFLOW',
      publishInstantly: true,
      isPublic: true,
      flowData: canvas(rules),
      ...more,
    };
    return (await call<{ id: string }>('POST', '/chatflows', body)).id;
  };
  return { base: baseUrl, key: apiKey, stop, flow };
}

function canvas(rules: unknown[]): string {
  const node = (id: string, name: string, inputs: Record<string, unknown>): unknown => ({
    id,
    type: 'customNode',
    data: { id, name, label: name, inputs },
  });
  const nodes = [
    node('model', 'chatScripted', {
      rules: JSON.stringify(rules),
      fallback: 'You said: {question}',
      allowImageUploads: true,
    }),
    node('memory', 'bufferMemory', {}),
    node('chain', 'conversationChain', {
      model: '{{model.data.instance}}',
      memory: '{{memory.data.instance}}',
    }),
  ];
  const edges = ['model', 'memory'].map((source) => ({ source, target: 'chain' }));
  return JSON.stringify({ nodes, edges });
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Site {
  base: string;
  /** The page that is served at `/`, which may change between visits. */
  page: string;
  stop: () => void;
}

const KINDS: Record<string, string> = {
  js: 'text/javascript',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * A site with one page. With `api` its `/api` is the service's, as when the service serves the page itself. The built
 * files are at their places, with the policy of the shared chat page.
 */
export async function site(api?: string, extra: Record<string, string> = {}): Promise<Site> {
  const made: Site = { base: '', page: '', stop: () => undefined };
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '/').split('?')[0] ?? '/';
    if (api && path.startsWith('/api/')) return pass(api, incoming, outgoing);
    if (path === '/') return reply(outgoing, 'html', made.page);
    const known = extra[path];
    const file = /^\/chat(bot)?\//.test(path) ? 'chat.html' : path.slice(1);
    const place = known ?? join(DIST, file);
    if (path === '/favicon.svg') return reply(outgoing, 'svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    if (!existsSync(place)) {
      outgoing.writeHead(404).end();
      return undefined;
    }
    const kind = place.split('.').pop() ?? '';
    if (file === 'chat.html') outgoing.setHeader('content-security-policy', POLICY);
    outgoing.setHeader('access-control-allow-origin', '*');
    return reply(outgoing, kind, readFileSync(place));
  });
  made.base = await listen(server);
  made.stop = () => server.close();
  return made;
}

/** The service as a site of its own: itself where it serves the page, else a site before it. */
export async function ownSite(running: Service): Promise<Site> {
  const answer = await fetch(`${running.base}/widget.js`);
  const same = answer.ok && (await answer.text()) === readFileSync(join(DIST, 'widget.js'), 'utf8');
  if (!same) return site(running.base);
  return { base: running.base, page: '', stop: () => undefined };
}

/** A page that holds the chat as a page of some shop would. */
export function shop(script: string, options: Record<string, unknown>): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark"><title>Shop</title><link rel="icon" href="/favicon.svg"></head>
    <body><main><h1>Lamps and ropes</h1><p>Things for boats. <a href="#more" style="color: inherit">More</a></p></main>
    <script type="module">import Chatbot from '${script}'; Chatbot.init(${JSON.stringify(options)});</script></body></html>`;
}

const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'";

function reply(outgoing: ServerResponse, kind: string, body: string | Buffer): void {
  outgoing.writeHead(200, { 'content-type': KINDS[kind] ?? 'application/octet-stream' }).end(body);
}

/** Passes a request on as it is; the answer comes back byte by byte. */
function pass(api: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const to = new URL(incoming.url ?? '/', api);
  const headers: Record<string, string | string[] | undefined> = { ...incoming.headers, host: to.host };
  if (headers.origin) headers.origin = to.origin;
  const onward = request(to, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Visit {
  page: Page;
  /** Errors of the page and its console. */
  faults: string[];
  close: () => Promise<void>;
}

export async function visit(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 760 },
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(fault.message));
  page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}

/** An answer that the chat shows. */
export const answer = (page: Page, text: string) => page.locator('.bot .bubble').filter({ hasText: text });

/** Asks once the answer before has ended: until then a question stays in its box. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Type your question' }).fill(text);
  await page.keyboard.press('Enter');
}

/** Questions as they were sent. */
export function questions(page: Page): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = [];
  page.on('request', (one) => {
    if (one.method() === 'POST' && one.url().includes('/prediction/'))
      sent.push(one.postDataJSON() as Record<string, unknown>);
  });
  return sent;
}

/** Nothing is wrong with what is shown, as far as a program can say. */
export async function expectClean(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run: (options: unknown) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const result = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
    );
  });
  expect(found).toEqual([]);
}
