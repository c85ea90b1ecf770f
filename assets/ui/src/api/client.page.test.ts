import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { clockDifference, forgetClock } from '../core/clock';
import type { ApiError } from './client';
import { address, api, NO_ANSWER, whenSignedOut } from './client';
import type { Schemas } from './models';

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(body, { status, headers }))),
  );
const failed = (made: Promise<unknown>): Promise<ApiError> =>
  made.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error as ApiError,
  );

afterEach(() => vi.unstubAllGlobals());

describe('calls', () => {
  it('say that they come from the page, and read JSON', async () => {
    answer(200, '{"a":1}');
    expect(await api.post('/workspace', { body: { name: 'b' } })).toEqual({ a: 1 });
    const [path, options] = vi.mocked(fetch).mock.calls[0] ?? [];
    expect(path).toBe('/api/v1/workspace');
    expect(options).toMatchObject({
      method: 'POST',
      body: '{"name":"b"}',
      headers: { 'x-request-from': 'internal', 'content-type': 'application/json' },
    });
  });

  it('put the parameters of a route into its path, encoded', async () => {
    answer(200, '{}');
    await api.get('/flow-versions/{id}/{sha}/diff', {
      path: { id: 'a/b', sha: 'c d' },
      query: { against: 'live' },
    });
    expect(vi.mocked(fetch).mock.calls[0]?.[0]).toBe('/api/v1/flow-versions/a%2Fb/c%20d/diff?against=live');
  });

  it('are what the description says', () => {
    expectTypeOf(api.get<'/variables'>).returns.resolves.items.toEqualTypeOf<Schemas['Variable']>();
    const wrong: (() => unknown)[] = [
      // @ts-expect-error there is no such route
      () => api.get('/variable'),
      // @ts-expect-error the route has no such verb
      () => api.delete('/variables'),
      // @ts-expect-error a parameter of the path is missing
      () => api.get('/chatflows/{id}'),
      // @ts-expect-error the query has no such parameter
      () => api.get('/chatflows', { query: { field: 'summary' } }),
      // @ts-expect-error the body lacks a name
      () => api.post('/variables', { body: { value: 'a' } }),
    ];
    expect(wrong).toHaveLength(5);
  });

  it('turn refusals into errors with the words of the service', async () => {
    answer(409, '{"message":"Live changed."}');
    expect(await failed(api.get('/role'))).toMatchObject({
      status: 409,
      message: 'Live changed.',
      retryAfter: null,
    });
    answer(429, 'Slow down.', { 'retry-after': '7' });
    expect(await failed(api.get('/role'))).toMatchObject({
      status: 429,
      message: 'Slow down.',
      retryAfter: 7,
    });
    answer(500, '<html>bad</html>');
    expect((await failed(api.get('/role'))).message).toMatch(/service failed/);
    answer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' });
    expect(await failed(api.get('/role'))).toMatchObject({ status: NO_ANSWER });
    answer(502, '{"message":"The model is away."}', { 'content-type': 'application/json; charset=utf-8' });
    expect(await failed(api.get('/role'))).toMatchObject({ status: 502, message: 'The model is away.' });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('lost')));
    expect(await failed(api.get('/role'))).toMatchObject({ status: NO_ANSWER });
  });

  it('tell when the session has ended, except where a 401 is an answer', async () => {
    const ended = vi.fn();
    whenSignedOut(ended);
    answer(401, '{"message":"Invalid or Missing token"}');
    await failed(api.get('/auth/me', { quiet: true }));
    expect(ended).not.toHaveBeenCalled();
    await failed(api.get('/role'));
    expect(ended).toHaveBeenCalledOnce();
  });

  it('tell the clock of the service, also when they are refused', async () => {
    const later = new Date(Date.now() + 600_000).toUTCString();
    answer(404, '{"message":"It is not there."}', { date: later });
    await failed(api.get('/role'));
    expect(clockDifference()).toBe(10);
    forgetClock();
  });

  it('encode what they ask for, leaving out what is not there', () => {
    expect(address('/x', { a: 'b c', none: undefined, empty: '', many: ['1', '2'], on: false })).toBe(
      '/api/v1/x?a=b+c&many=1&many=2&on=false',
    );
  });
});
