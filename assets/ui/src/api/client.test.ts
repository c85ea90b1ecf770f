import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiError } from './client';
import { address, api, NO_ANSWER, whenSignedOut } from './client';

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
    expect(await api.post('/x', { b: 2 })).toEqual({ a: 1 });
    const [path, options] = vi.mocked(fetch).mock.calls[0] ?? [];
    expect(path).toBe('/api/v1/x');
    expect(options).toMatchObject({
      method: 'POST',
      body: '{"b":2}',
      headers: { 'x-request-from': 'internal', 'content-type': 'application/json' },
    });
  });

  it('turn refusals into errors with the words of the service', async () => {
    answer(409, '{"message":"Live changed."}');
    expect(await failed(api.get('/x'))).toMatchObject({
      status: 409,
      message: 'Live changed.',
      retryAfter: null,
    });
    answer(429, 'Slow down.', { 'retry-after': '7' });
    expect(await failed(api.get('/x'))).toMatchObject({ status: 429, message: 'Slow down.', retryAfter: 7 });
    answer(500, '<html>bad</html>');
    expect((await failed(api.get('/x'))).message).toMatch(/service failed/);
    answer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' });
    expect(await failed(api.get('/x'))).toMatchObject({ status: NO_ANSWER });
    answer(502, '{"message":"The model is away."}', { 'content-type': 'application/json; charset=utf-8' });
    expect(await failed(api.get('/x'))).toMatchObject({ status: 502, message: 'The model is away.' });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('lost')));
    expect(await failed(api.get('/x'))).toMatchObject({ status: NO_ANSWER });
  });

  it('tell when the session has ended, except where a 401 is an answer', async () => {
    const ended = vi.fn();
    whenSignedOut(ended);
    answer(401, '{"message":"Invalid or Missing token"}');
    await failed(api.get('/x', undefined, { quiet: true }));
    expect(ended).not.toHaveBeenCalled();
    await failed(api.get('/x'));
    expect(ended).toHaveBeenCalledOnce();
  });

  it('encode what they ask for, leaving out what is not there', () => {
    expect(address('/x', { a: 'b c', none: undefined, empty: '', many: ['1', '2'], on: false })).toBe(
      '/api/v1/x?a=b+c&many=1&many=2&on=false',
    );
  });
});
