/**
 * Starts the built service and a browser. `FLOWKEEP_BIN` names the program (else the checkout's debug build),
 * `CHROMIUM` the browser. With `FLOWKEEP_PAGE=source` the page comes from the sources instead of the program, so
 * that nothing has to be built while a screen is worked on; with `built` from `assets/dist` as it is now.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { createServer } from 'vite';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { eitherWay } from '../src/i18n/pseudo';

const SWITCHES =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

export const program = resolve(process.env.FLOWKEEP_BIN ?? '../../target/debug/flowkeep');
const browserPath = findBrowser();

/** Why the tests of this folder cannot run here; `null` when they can. */
export const missing: string | null = !existsSync(program)
  ? `there is no program at ${program}: build it, or set FLOWKEEP_BIN`
  : browserPath
    ? null
    : 'there is no Chromium: install it, or set CHROMIUM';
if (missing) console.warn(`Browser tests are skipped: ${missing}`);

function findBrowser(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  // The first draws what the others draw, in two thirds of their processor time.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

export interface Service {
  /** Where the page is. */
  page: string;
  baseUrl: string;
  apiKey: string;
  ownerEmail: string;
  ownerPassword: string;
  /** A call with the service's API key. */
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  stop: () => Promise<void>;
}

/** A fresh service with an owner and an API key. `env` are settings of the service. */
export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const child = spawn(program, ['serve', '--throwaway', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const line = await firstLine(child, (text) => text.startsWith('{'));
  const told = JSON.parse(line) as Pick<Service, 'baseUrl' | 'apiKey' | 'ownerEmail' | 'ownerPassword'>;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${told.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${told.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
  const sources = await pageFromSources(told.baseUrl);
  const stop = async (): Promise<void> => {
    await sources?.server.close();
    await end(child);
  };
  return { ...told, page: sources?.address ?? told.baseUrl, call, stop };
}

/** A service without an owner, in a folder of its own. */
export async function startEmpty(
  folder: string,
  args: string[] = [],
  wanted?: number,
): Promise<{ page: string; output: () => string; stop: () => Promise<void> }> {
  const port = wanted ?? (await freePort());
  const host = args.includes('--host') ? [] : ['--host', '127.0.0.1'];
  const child = spawn(program, ['serve', '--data-dir', folder, '--port', String(port), ...host, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (output += piece.toString()));
  const baseUrl = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${baseUrl}/ready`).then(
          (response) => response.ok,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  const sources = await pageFromSources(baseUrl);
  const stop = async (): Promise<void> => {
    await sources?.server.close();
    await end(child);
  };
  return { page: sources?.address ?? baseUrl, output: () => output, stop };
}

export async function freePort(): Promise<number> {
  const { createServer: listen } = await import('node:net');
  return new Promise((done) => {
    const server = listen().listen(0, '127.0.0.1', () => {
      const at = server.address();
      server.close(() => done(typeof at === 'object' && at ? at.port : 0));
    });
  });
}

/** The committed build, served as the program would, with every call handed on to it. */
async function builtPage(
  baseUrl: string,
): Promise<{ server: { close: () => Promise<void> }; address: string }> {
  const { createServer: listen, request } = await import('node:http');
  const dist = resolve('../dist');
  const types: Record<string, string> = {
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
    woff2: 'font/woff2',
  };
  const server = listen((asked, answer) => {
    const path = new URL(asked.url ?? '/', baseUrl).pathname;
    if (path.startsWith('/api/')) {
      const { hostname, port } = new URL(baseUrl);
      const headers = { ...asked.headers, host: `${hostname}:${port}`, origin: baseUrl };
      const on = request({ hostname, port, path: asked.url, method: asked.method, headers }, (came) => {
        answer.writeHead(came.statusCode ?? 502, came.headers);
        came.pipe(answer);
      });
      asked.pipe(on);
      return;
    }
    const ending = /\.(\w+)$/.exec(path)?.[1];
    if (path === '/favicon.ico') return answer.writeHead(204).end();
    if (ending) {
      const file = join(dist, path);
      if (!existsSync(file)) return answer.writeHead(404).end();
      return answer.writeHead(200, { 'content-type': types[ending] ?? 'text/plain' }).end(readFileSync(file));
    }
    const html = readFileSync(join(dist, 'index.html'), 'utf8')
      .replaceAll('="./', '="/')
      .replaceAll('__CSP_NONCE__', 'tests');
    const headers = {
      'content-type': 'text/html',
      'content-security-policy':
        "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-tests'; img-src 'self' data: blob:",
    };
    return answer.writeHead(200, headers).end(html);
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(() => done());
    });
  return { server: { close }, address: `http://127.0.0.1:${port}` };
}

async function pageFromSources(
  baseUrl: string,
): Promise<{ server: { close: () => Promise<void> }; address: string } | null> {
  const from = process.env.FLOWKEEP_PAGE;
  if (from !== 'source' && from !== 'built') return null;
  const proxy = { '/api/': { target: baseUrl, changeOrigin: true, headers: { origin: baseUrl } } };
  if (from === 'built') return builtPage(baseUrl);
  const server = await createServer({
    // The packages may lie behind a link.
    server: {
      port: 0,
      host: '127.0.0.1',
      proxy,
      hmr: false,
      fs: { allow: [resolve('.'), realpathSync('node_modules')] },
    },
    logLevel: 'error',
  });
  await server.listen();
  return { server, address: (server.resolvedUrls?.local[0] ?? '').replace(/\/$/, '') };
}

function firstLine(child: ChildProcess, wanted: (line: string) => boolean): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
      const line = text.split('\n').slice(0, -1).find(wanted);
      if (line) done(line);
    });
    child.once('exit', (code) => fail(new Error(`The service ended with ${code}.`)));
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null) return done();
    child.once('exit', () => done());
    child.kill('SIGTERM');
  });
}

export type Scheme = 'light' | 'dark';

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Fails on any error the page reported; every test ends with it. */
  close: () => Promise<void>;
}

export interface OpenOptions {
  scheme?: Scheme;
  width?: number;
  height?: number;
  /** Console errors that belong to the test. */
  allowed?: RegExp[];
  /** The languages of the browser; the first one counts most. */
  locale?: string;
  /** Speaks the language of long words, whatever the rest of the tests runs in. */
  pseudo?: boolean;
}

/**
 * With `FLOWKEEP_LANGUAGE=pseudo` any test runs in a language of long, accented words from right to left; what it looks for in
 * English is found by either.
 */
const pseudo = process.env.FLOWKEEP_LANGUAGE === 'pseudo';

type Find = (text: string | RegExp, options?: { exact?: boolean }) => Locator;
interface Finder {
  getByRole: (role: string, options?: { name?: string | RegExp; exact?: boolean }) => Locator;
  filter?: (options?: Filter) => Locator;
}
interface Filter {
  hasText?: string | RegExp;
  hasNotText?: string | RegExp;
}
const finders = new Set<unknown>();

async function speakPseudo(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('flowkeep.language', 'pseudo'));
  for (const one of [page.mainFrame(), page.locator('main'), page.frameLocator('main')]) {
    const proto = Object.getPrototypeOf(one) as Finder & Record<string, Find>;
    if (finders.has(proto)) continue;
    finders.add(proto);
    for (const name of ['getByText', 'getByLabel', 'getByPlaceholder', 'getByTitle', 'getByAltText']) {
      const find = proto[name];
      if (find)
        proto[name] = function (this: unknown, text, options): Locator {
          return find.call(this, eitherWay(text, options?.exact ?? false));
        };
    }
    const { getByRole, filter } = proto;
    proto.getByRole = function (this: unknown, role, options): Locator {
      const { name, exact = false, ...rest } = options ?? {};
      return getByRole.call(
        this,
        role,
        name === undefined ? rest : { ...rest, name: eitherWay(name, exact) },
      );
    };
    if (filter)
      proto.filter = function (this: unknown, options): Locator {
        const { hasText, hasNotText } = options ?? {};
        return filter.call(this, {
          ...options,
          ...(hasText === undefined ? {} : { hasText: eitherWay(hasText, false) }),
          ...(hasNotText === undefined ? {} : { hasNotText: eitherWay(hasNotText, false) }),
        });
      };
  }
}

let browser: Browser | undefined;

/** The pages of this test that are open. */
const shown = new Set<Page>();
/** How many pictures each test left so far. */
const pictures = new Map<string, number>();

/**
 * Leaves a picture of how a test left a page in the ignored folder `e2e/shots/last`, for people to look at: named after its
 * file and its name, so that whoever reads that a test failed, or what it proves, finds what it saw.
 */
async function pictureOf(page: Page): Promise<void> {
  if (page.isClosed()) return;
  const { currentTestName = 'none', testPath = '' } = expect.getState();
  const file = basename(testPath).replace(/\.e2e\.ts$/, '');
  const name = `${file}--${currentTestName.replace(/\W+/g, '-').toLowerCase().slice(0, 120)}`;
  const count = (pictures.get(name) ?? 0) + 1;
  pictures.set(name, count);
  const path = `e2e/shots/last/${name}${count > 1 ? `-${count}` : ''}.jpg`;
  // A page that can no longer be drawn has nothing to show, and its test says why.
  await page.screenshot({ path, type: 'jpeg', quality: 70, timeout: 5000 }).catch(() => undefined);
}

// A test that fails leaves its pages open.
afterEach(async () => {
  for (const page of shown) await pictureOf(page);
  shown.clear();
});

/** The browser, without a window. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath, headless: true, args: SWITCHES.split(' ') });

/** A new context: nothing is left of other tests. */
export async function open(address: string, options: OpenOptions = {}): Promise<Opened> {
  browser ??= await launch();
  const { scheme = 'light', width = 1280, height = 800, locale = 'en-US' } = options;
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width, height },
    locale,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    colorScheme: scheme,
  });
  const page = await context.newPage();
  if (pseudo || options.pseudo) await speakPseudo(page);
  const faults: string[] = [];
  // The first question of every visit is who is there; its 401 is the answer.
  const allowed = [/\/auth\/me .*401/, ...(options.allowed ?? [])];
  const note = (text: string): void => {
    if (!allowed.some((one) => one.test(text))) faults.push(text);
  };
  page.on('pageerror', (error) => note(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') note(`${message.location().url} ${message.text()}`);
  });
  shown.add(page);
  const close = async (): Promise<void> => {
    await pictureOf(page);
    shown.delete(page);
    await context.close();
    expect(faults).toEqual([]);
  };
  return { page, context, close };
}

/** Ends the browser; once per file. */
export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
  shown.clear();
}

/** Opens a page of a service as its owner. */
export async function openSignedIn(
  service: Service,
  path: string,
  options: OpenOptions = {},
): Promise<Opened> {
  const opened = await open(service.page, options);
  const answer = await opened.context.request.post('/api/v1/auth/login', {
    data: { email: service.ownerEmail, password: service.ownerPassword },
    headers: { origin: service.baseUrl },
  });
  expect(answer.status()).toBe(200);
  await opened.page.goto(path);
  return opened;
}

/**
 * A fresh service for the tests of a file or of a group, and what opens a page of it as its owner. The service is there
 * once tests run; it ends with them, and so does the browser.
 */
export function serviceForTests(): {
  service: Service;
  signedIn: (path: string, options?: OpenOptions) => Promise<Opened>;
} {
  const service = {} as Service;
  beforeAll(async () => {
    if (!missing) Object.assign(service, await startService());
  });
  afterAll(async () => {
    await closeBrowser();
    if (!missing) await service.stop();
  });
  return { service, signedIn: (path, options) => openSignedIn(service, path, options) };
}

export const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface AxeWindow {
  axe: {
    run: (
      context: Document,
      options: object,
    ) => Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }>;
  };
}

/** No violation of WCAG 2.2 AA in both themes. */
export async function axe(page: Page, { headings = 1 } = {}): Promise<void> {
  const has = await page.evaluate(() => 'axe' in window);
  if (!has) await page.evaluate(axeSource);
  for (const theme of ['light', 'dark']) {
    const found = await page.evaluate(
      async ([wanted, tags]) => {
        const before = document.documentElement.dataset.theme;
        document.documentElement.dataset.theme = wanted as string;
        await Promise.allSettled(document.getAnimations().map((one) => one.finished));
        const { violations } = await (window as unknown as AxeWindow).axe.run(document, {
          runOnly: { type: 'tag', values: tags },
          // Two rules that are off unless they are asked for.
          rules: { 'target-size': { enabled: true }, 'heading-order': { enabled: true } },
          resultTypes: ['violations'],
        });
        document.documentElement.dataset.theme = before;
        return violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary}`).join(' | ')}`,
        );
      },
      [theme, TAGS] as [string, string[]],
    );
    expect(found, `axe, ${theme} theme`).toEqual([]);
  }
  expect(await page.locator('h1').count(), 'main headings').toBe(headings);
}

/** The parts of a flow's header that stand over one another. */
export const overlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const targets = [...document.querySelectorAll<HTMLElement>('main header :is(a, button)')];
    const boxes = targets.map((one) => ({ one, box: one.getBoundingClientRect() }));
    const name = (one: HTMLElement): string => one.getAttribute('aria-label') ?? one.textContent;
    return boxes.flatMap(({ one, box }, at) =>
      boxes
        .slice(at + 1)
        .filter(
          ({ box: other }) =>
            box.left < other.right - 0.5 &&
            other.left < box.right - 0.5 &&
            box.top < other.bottom - 0.5 &&
            other.top < box.bottom - 0.5,
        )
        .map(({ one: other }) => `${name(one)} and ${name(other)}`),
    );
  });

/** Leaves a picture in the ignored folder `e2e/shots`, for people to look at. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `e2e/shots/${name}.png` });
}

/** What has the focus, as a screen reader names it. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim();
  });
}

/** Whether the program serves a route: for screens whose service part may not be there. */
export async function serves(service: Service, path: string, method = 'GET'): Promise<boolean> {
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, { method });
  return response.status !== 404;
}

export const version = (): string => spawnSync(program, ['--version']).stdout.toString().trim();

/** How a screen is looked at: in both themes, at the three widths that it is made for. */
export const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [390, 1024, 1440].map((width) => ({ scheme, width, height: 900 })),
);

/** True when the page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
