import { basePath } from '../core/base';
import { hearClock } from '../core/clock';
import { untilItAnswers } from '../core/connection';
import { t } from '../i18n';
import type { Answer, Input, Route, Verb } from './routes';

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

/** There is no such thing. An id that is none is 400, and names as little as one that is gone. */
export const isGone = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400);

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The answer to a 401 is the caller's own: nobody is sent to sign-in. */
  quiet?: boolean;
}

/** What `Input` of any route comes down to. */
interface AnyInput {
  path?: Record<string, string | number>;
  query?: Query;
  /** Sent as JSON, or as it is when it is a form. */
  body?: unknown;
}

/** The second argument of a call, which may be left out where the route needs nothing. */
type Arguments<V extends Verb, R> =
  object extends Input<V, R> ? [options?: Input<V, R> & CallOptions] : [options: Input<V, R> & CallOptions];

let onSignedOut: () => void = () => undefined;

/** What happens when the session has ended. */
export function whenSignedOut(then: () => void): void {
  onSignedOut = then;
}

/** Says that the session has ended, when another way than a refused call told it. */
export const sessionEnded = (): void => onSignedOut();

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

/** Puts the parameters of a route into its path. */
const fill = (route: string, path: AnyInput['path'] = {}): string =>
  route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));

async function request(verb: Verb, route: string, options: AnyInput & CallOptions = {}): Promise<Response> {
  const { path, query, body, headers, signal, quiet } = options;
  const form = body instanceof FormData;
  const sent = Date.now();
  let response: Response;
  try {
    response = await fetch(address(fill(route, path), query), {
      method: verb.toUpperCase(),
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
  hearClock(response.headers.get('date'), sent);
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

/** The raw answer, for streams; anything but success is an `ApiError`. */
export const fetchRaw = <V extends Verb, R extends Route<V>>(
  verb: V,
  route: R,
  ...[options]: Arguments<V, R>
): Promise<Response> => request(verb, route, options);

const caller =
  <V extends Verb>(verb: V) =>
  async <R extends Route<V>>(route: R, ...[options]: Arguments<V, R>): Promise<Answer<V, R>> => {
    const text = await (await request(verb, route, options)).text();
    return JSON.parse(text || 'null');
  };

/** Every call of the page: route, input and answer are those of the API's description. */
export const api = {
  get: caller('get'),
  post: caller('post'),
  put: caller('put'),
  patch: caller('patch'),
  delete: caller('delete'),
};

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
