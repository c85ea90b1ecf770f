/** A git host for browser tests: bare repositories in a folder, a stand-in for the host's API, and the calls of an owner. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  closeBrowser,
  missing,
  openSignedIn,
  startService,
  type OpenOptions,
  type Opened,
  type Service,
} from './harness';

/** The one token that the stand-in takes. */
export const TOKEN = 'token-of-the-tests';

export interface GitHost {
  /** Settings of a service that is to work with it. */
  env: Record<string, string>;
  /** Makes an empty repository, `owner/name`. */
  make: (repo: string) => string;
  /** Runs git in a repository. */
  git: (repo: string, ...args: string[]) => string;
  stop: () => Promise<void>;
}

interface Row {
  full_name: string;
  private: boolean;
  archived: boolean;
  size: number;
  pushed_at: string | null;
}

export async function startGitHost(): Promise<GitHost> {
  const root = mkdtempSync(join(tmpdir(), 'flowkeep-git-'));
  const rows: Row[] = [
    {
      full_name: 'ada/website',
      private: false,
      archived: false,
      size: 12,
      pushed_at: '2026-01-01T00:00:00Z',
    },
    { full_name: 'ada/old', private: true, archived: true, size: 3, pushed_at: '2020-01-01T00:00:00Z' },
  ];
  const folder = (repo: string): string => join(root, `${repo}.git`);
  const make = (repo: string): string => {
    mkdirSync(folder(repo), { recursive: true });
    execFileSync('git', ['init', '--bare', '--quiet', '--initial-branch=main', folder(repo)]);
    rows.push({ full_name: repo, private: true, archived: false, size: 0, pushed_at: null });
    return folder(repo);
  };
  const api = createServer((asked, answer) => {
    let sent = '';
    asked.on('data', (piece: Buffer) => (sent += piece.toString()));
    asked.on('end', () => {
      const say = (status: number, body: unknown): void => {
        answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (!asked.headers.authorization?.endsWith(TOKEN)) return say(401, { message: 'Bad credentials' });
      const path = asked.url?.split('?')[0];
      if (path === '/user') return say(200, { login: 'ada' });
      if (path !== '/user/repos') return say(404, { message: 'Not Found' });
      if (asked.method === 'GET') return say(200, rows);
      const { name } = JSON.parse(sent) as { name: string };
      const repo = `ada/${name}`;
      if (rows.some((row) => row.full_name === repo)) {
        return say(422, {
          message: 'Repository creation failed.',
          errors: [{ message: 'name already exists' }],
        });
      }
      make(repo);
      return say(201, rows.at(-1));
    });
  });
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done));
  return {
    env: {
      SERVICE_GITHUB_ALLOW_FILE_REMOTES: 'on',
      SERVICE_GITHUB_TEST_ROOT: root,
      SERVICE_GITHUB_TEST_API: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    },
    make,
    git: (repo, ...args) =>
      execFileSync('git', ['-c', 'safe.directory=*', '-C', folder(repo), ...args], {
        encoding: 'utf8',
      }).trim(),
    stop: async () => {
      await new Promise((done) => api.close(done));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A service that is told of a git host, and what opens its pages and calls it as its owner. */
export interface HostedService {
  service: Service;
  owner: OwnerCall;
  signedIn: (path: string, options?: OpenOptions) => Promise<Opened>;
}

/**
 * A git host and as many fresh services as there are names, for the tests of a file: they are there once tests run, and end
 * with them, and so does the browser.
 */
export function hostForTests<Name extends string>(
  ...names: Name[]
): { host: GitHost } & Record<Name, HostedService> {
  const host = {} as GitHost;
  const hosted = Object.fromEntries(names.map((name) => [name, {} as HostedService])) as Record<
    Name,
    HostedService
  >;
  beforeAll(async () => {
    if (missing) return;
    Object.assign(host, await startGitHost());
    await Promise.all(
      names.map(async (name) => {
        const service = await startService(host.env);
        Object.assign(hosted[name], {
          service,
          owner: await ownerOf(service),
          signedIn: (path: string, options?: OpenOptions) => openSignedIn(service, path, options),
        });
      }),
    );
  });
  afterAll(async () => {
    if (missing) return;
    await closeBrowser();
    await Promise.all(names.map((name) => hosted[name].service.stop()));
    await host.stop();
  });
  return { host, ...hosted };
}

export type OwnerCall = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Calls as the owner who is signed in: what no API key may. */
export async function ownerOf(service: Service): Promise<OwnerCall> {
  const headers = { 'content-type': 'application/json', origin: service.baseUrl };
  const signedIn = await fetch(`${service.baseUrl}/api/v1/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword }),
  });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${service.baseUrl}/api/v1/flow-versions${path}`, {
      method,
      headers: { ...headers, cookie, 'x-request-from': 'internal' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
}

/** Labels a service and connects it to a repository. */
export async function connectTo(owner: OwnerCall, repo: string, environment: 'dev' | 'prod'): Promise<void> {
  await owner('PUT', '/environment', { environment });
  await owner('PUT', '/github', { repo, token: TOKEN });
  const { state } = await owner<{ state: string }>('POST', '/github/push');
  expect(state).toBe('up-to-date');
}
