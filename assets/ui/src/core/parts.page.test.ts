import { afterEach, expect, test, vi } from 'vitest';
import { isAway, subscribeAway } from './connection';
import { loadPart, LostPart } from './parts';

const unloaded = (): Promise<never> =>
  Promise.reject(new TypeError('Failed to fetch dynamically imported module: /app/x.js'));

/** A service that is away for so many calls. */
function away(calls: number): void {
  let left = calls;
  vi.stubGlobal('fetch', () => {
    left -= 1;
    return left >= 0 ? Promise.reject(new TypeError('no network')) : Promise.resolve(new Response('pong'));
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a part is loaded again once the service answers, which the page says meanwhile', async () => {
  vi.useFakeTimers();
  away(3);
  const said: boolean[] = [];
  const leave = subscribeAway(() => said.push(isAway()));
  const load = vi.fn<() => Promise<string>>().mockImplementationOnce(unloaded).mockResolvedValue('part');
  const part = loadPart(load);
  await vi.runAllTimersAsync();
  expect(await part).toBe('part');
  expect(load).toHaveBeenCalledTimes(2);
  expect(said).toEqual([true, false]);
  leave();
});

test('a part that a service which answers does not have is lost', async () => {
  away(0);
  const load = vi.fn(unloaded);
  await expect(loadPart(load)).rejects.toBeInstanceOf(LostPart);
  expect(load).toHaveBeenCalledTimes(2);
  expect(isAway()).toBe(false);
});

test('a style sheet that did not arrive is asked for again', async () => {
  away(0);
  const sheet = document.head.appendChild(document.createElement('link'));
  sheet.rel = 'stylesheet';
  Object.defineProperty(sheet, 'sheet', { value: null });
  const load = vi.fn<() => Promise<string>>().mockImplementationOnce(unloaded).mockResolvedValue('part');
  const part = loadPart(load);
  await vi.waitFor(() => expect(document.querySelector('link')).not.toBe(sheet));
  document.querySelector('link')?.dispatchEvent(new Event('load'));
  expect(await part).toBe('part');
});

test('a fault inside a part is its own', async () => {
  const load = vi.fn(() => Promise.reject(new Error('x is not defined')));
  await expect(loadPart(load)).rejects.toThrow('x is not defined');
  expect(load).toHaveBeenCalledTimes(1);
});
