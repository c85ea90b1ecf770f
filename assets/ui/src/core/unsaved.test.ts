import { expect, it, vi } from 'vitest';
import { holdsEdits, holdUnsaved, losesEdits, sendHeld } from './unsaved';

it('holds until the edits are let go, and only who leaves them', () => {
  expect(losesEdits('/')).toBe(false);
  const one = holdUnsaved({ stays: (to) => to.startsWith('/here') });
  const other = holdUnsaved({ stays: (to) => to.startsWith('/here/too') });
  expect([losesEdits('/'), losesEdits('/here'), losesEdits('/here/too')]).toEqual([true, true, false]);
  other();
  expect([losesEdits('/'), losesEdits('/here')]).toEqual([true, false]);
  one();
  expect(losesEdits('/')).toBe(false);
});

it('sends what sends itself, and says whether anything is left for a person', async () => {
  const send = vi.fn(() => Promise.resolve(true));
  const one = holdUnsaved({ stays: () => true, send });
  expect(await sendHeld()).toBe(true);
  const other = holdUnsaved({ stays: () => true });
  expect(await sendHeld()).toBe(false);
  expect(send).toHaveBeenCalledTimes(2);
  one();
  other();
  expect(holdsEdits()).toBe(false);
  expect(await sendHeld()).toBe(true);
  expect(send).toHaveBeenCalledTimes(2);
});
