import { expect, test } from 'vitest';
import { csv } from './csv';

test('a cell keeps commas, quotes and lines, and is no formula', () => {
  expect(
    csv([
      ['a', 'b, "c"'],
      ['=1+1', 'x\ny'],
      [null, 3],
    ]),
  ).toBe('a,"b, ""c"""\r\n\'=1+1,"x\ny"\r\n,3\r\n');
});
