import { expect, it } from 'vitest';
import { browserOf, isPhone } from './browser';

it('names browsers and systems', () => {
  expect(browserOf('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
    'Firefox · Linux',
  );
  expect(
    browserOf('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'),
  ).toBe('Edge · Windows');
  expect(browserOf('curl/8')).toBe('curl/8');
  expect(browserOf(null)).toBeNull();
  expect([isPhone('iPhone Mobile'), isPhone('X11')]).toEqual([true, false]);
});
