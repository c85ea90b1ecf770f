import { expect, it } from 'vitest';
import { holdUnsaved, losesEdits } from './unsaved';

it('holds until the edits are let go, and only who leaves them', () => {
  expect(losesEdits('/')).toBe(false);
  const one = holdUnsaved((to) => to.startsWith('/here'));
  const other = holdUnsaved((to) => to.startsWith('/here/too'));
  expect([losesEdits('/'), losesEdits('/here'), losesEdits('/here/too')]).toEqual([true, true, false]);
  other();
  expect([losesEdits('/'), losesEdits('/here')]).toEqual([true, false]);
  one();
  expect(losesEdits('/')).toBe(false);
});
