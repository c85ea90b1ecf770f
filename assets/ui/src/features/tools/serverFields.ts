/** From a server of tools to its form, and back to what is sent. */
import type { ToolServer, ToolServerBody } from '../../api/toolServers';
import { HIDDEN } from '../../core/hidden';
import { nextId } from './nextId';

export interface Header {
  id: number;
  name: string;
  value: string;
  /** A value is stored under this name, which stays unless one is typed. */
  stored: boolean;
}

export interface ServerFields {
  name: string;
  /** Empty for one that is stored: its address is hidden but for the beginning, and stays. */
  url: string;
  headers: Header[];
}

export type HeaderProblem = 'required' | 'badHeader' | 'twice' | 'again';

export const fieldsOf = (server: ToolServer | null): ServerFields => ({
  name: server?.name ?? '',
  url: '',
  headers: Object.keys(server?.authConfig.headers ?? {}).map((name, at) => ({
    id: at + 1,
    name,
    value: '',
    stored: true,
  })),
});

export const nextHeader = (rows: readonly Header[]): Header => ({
  id: nextId(rows),
  name: '',
  value: '',
  stored: false,
});

/** Scheme, host and port of what the service can call. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, origin, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && !username && !password ? origin : null;
}

export function urlProblem(url: string, server: ToolServer | null): 'required' | 'badUrl' | null {
  const typed = url.trim();
  if (!typed) return server ? null : 'required';
  return originOf(typed) === null || typed.includes(HIDDEN) ? 'badUrl' : null;
}

/** What is wrong with the headers, by the id of the row. A stored value is only for the server it was entered for. */
export function headerProblems(
  { url, headers }: ServerFields,
  server: ToolServer | null,
): Map<number, HeaderProblem> {
  const problems = new Map<number, HeaderProblem>();
  const seen = new Set<string>();
  const typed = url.trim();
  const elsewhere = Boolean(server && typed && originOf(typed) !== originOf(server.serverUrl));
  for (const { id, name, value, stored } of headers) {
    const key = name.trim().toLowerCase();
    if (!key) problems.set(id, 'required');
    else if (!/^[a-z0-9!#$%&'*+\-.^_`|~]+$/.test(key)) problems.set(id, 'badHeader');
    else if (seen.has(key)) problems.set(id, 'twice');
    else if (!value && !stored) problems.set(id, 'required');
    else if (!value && elsewhere) problems.set(id, 'again');
    seen.add(key);
  }
  return problems;
}

export function bodyOf({ name, url, headers }: ServerFields): ToolServerBody {
  const sent = headers.map((header) => [header.name.trim(), header.value || HIDDEN] as const);
  const address = url.trim();
  return {
    name: name.trim(),
    ...(address ? { serverUrl: address } : {}),
    authType: sent.length ? 'CUSTOM_HEADERS' : 'NONE',
    authConfig: { headers: Object.fromEntries(sent) },
  };
}

/** Whether the server is reached in another way than before, so that it has to be asked anew. */
export const isReachedAnew = ({ url, headers }: ServerFields, server: ToolServer): boolean =>
  url.trim() !== '' ||
  headers.some(({ value }) => value !== '') ||
  headers.length !== Object.keys(server.authConfig.headers).length;
