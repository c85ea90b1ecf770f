import { expect, it } from 'vitest';
import { everyPage } from './conversations';

it('goes on by the cursor until there is none, also over a page that holds nothing', async () => {
  const asked: unknown[] = [];
  const pages = [
    { data: ['a', 'b'], nextCursor: '1' },
    { data: [], nextCursor: '2' },
    { data: ['c'], nextCursor: null },
  ];
  const rows = await everyPage(async (cursor) => {
    asked.push(cursor);
    return pages[asked.length - 1] ?? { data: [], nextCursor: null };
  });
  expect(rows).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([{}, { cursor: '1' }, { cursor: '2' }]);
});
