import { basePath } from '../core/base';
import { untilItAnswers } from '../core/connection';
import { t } from '../i18n';

const BASE = `${basePath}/api/v1`;
/** The status of a call that the service did not answer. */
export const NO_ANSWER = 0;

/** What went wrong with a call, in words for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    /** `NO_ANSWER` when there was none. */
    readonly status: number,
    message: string,
    /** Seconds to wait, for 429 and 503. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export interface CallOptions {
  query?: Query;
  /** Sent as JSON, or as it is when it is a form. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The answer to a 401 is the caller's own: nobody is sent to sign-in. */
  quiet?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let onSignedOut: () => void = () => undefined;

/** What happens when the session has ended. */
export function whenSignedOut(then: () => void): void {
  onSignedOut = then;
}

/** The address of a route with its query, encoded. */
export function address(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? (value as string[]) : [value]) params.append(name, String(one));
  }
  const text = params.toString();
  return `${BASE}${path}${text ? `?${text}` : ''}`;
}

/** Makes a call and gives the raw answer; anything but success is an `ApiError`. For streams and files. */
export async function fetchRaw(method: Method, path: string, options: CallOptions = {}): Promise<Response> {
  const { query, body, headers, signal, quiet } = options;
  const form = body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(address(path, query), {
      method,
      credentials: 'same-origin',
      headers: {
        'x-request-from': 'internal',
        ...(body !== undefined && !form ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw unanswered();
  }
  if (response.ok) return response;
  if (isOfProxy(response)) throw unanswered();
  const error = await failure(response);
  if (error.status === 401 && !quiet) onSignedOut();
  throw error;
}

function unanswered(): ApiError {
  void untilItAnswers();
  return new ApiError(NO_ANSWER, t('errors.network'));
}

/** A proxy says in its own words that it does not reach the service, which always answers with JSON. */
const isOfProxy = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && !headers.get('content-type')?.includes('json');

/** Makes a call and reads its JSON. `T` is the record type of `api/models.ts`. */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const response = await fetchRaw(method, path, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

export const api = {
  get: <T>(path: string, query?: Query, options?: CallOptions) => call<T>('GET', path, { ...options, query }),
  post: <T>(path: string, body?: unknown, options?: CallOptions) =>
    call<T>('POST', path, { ...options, body }),
  put: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('PUT', path, { ...options, body }),
  patch: <T>(path: string, body?: unknown, options?: CallOptions) =>
    call<T>('PATCH', path, { ...options, body }),
  delete: <T>(path: string, query?: Query, options?: CallOptions) =>
    call<T>('DELETE', path, { ...options, query }),
};

/** Encodes a piece of a path. */
export const part = encodeURIComponent;

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const wait = Number(response.headers.get('retry-after'));
  const retryAfter = [429, 503].includes(response.status) && wait > 0 ? wait : null;
  return new ApiError(response.status, messageOf(text, response.status), retryAfter);
}

function messageOf(text: string, status: number): string {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null && 'message' in read && typeof read.message === 'string')
      return read.message;
  } catch {
    if (text && text.length < 300 && !text.includes('<')) return text;
  }
  return status === 403 ? t('errors.forbidden') : t('errors.server');
}
