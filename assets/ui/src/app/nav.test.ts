import { expect, it } from 'vitest';
import { nav, sees, type Viewer } from './nav';

const items = nav.flatMap((group) => group.items);
const paths = (viewer: Viewer): string[] =>
  items.filter((item) => sees(item, viewer)).map((item) => item.path);
const owner: Viewer = { can: () => true, isOwner: true, isProd: true };

it('shows promotion to the owner of Prod alone, and the copy to the owner alone', () => {
  expect(paths(owner)).toEqual(items.map((item) => item.path));
  expect(paths({ ...owner, isProd: false })).not.toContain('/promote');
  const other = paths({ ...owner, isOwner: false });
  expect([other.includes('/promote'), other.includes('/git-copy')]).toEqual([false, false]);
});

it('shows what a permission is for to who holds it', () => {
  const tools = { can: (...anyOf: string[]) => anyOf.includes('tools:view'), isOwner: false, isProd: false };
  expect(paths(tools)).toEqual(['/tools']);
});
