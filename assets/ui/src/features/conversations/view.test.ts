import { expect, test } from 'vitest';
import { csv, filterOf } from './view';

const at = (parts: Record<string, string>) => filterOf((name) => parts[name] ?? '');

test('an address asks for what it names, and for nothing where it says something odd', () => {
  expect(at({ source: 'EXTERNAL', rating: 'THUMBS_DOWN' })).toEqual({
    chatType: ['EXTERNAL'],
    feedbackType: ['THUMBS_DOWN'],
  });
  expect(at({ source: 'nowhere', rating: 'five', since: 'yesterday' })).toEqual({});
  expect(at({ since: '2026-01-02' }).startDate).toMatch(/^2026-01-0[12]T/);
});

test('a cell keeps commas, quotes and lines, and is no formula', () => {
  expect(
    csv([
      ['a', 'b, "c"'],
      ['=1+1', 'x\ny'],
      [null, 3],
    ]),
  ).toBe('a,"b, ""c"""\r\n\'=1+1,"x\ny"\r\n,3\r\n');
});
