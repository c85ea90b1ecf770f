import { expect, it, vi } from 'vitest';
import { signedInAgain, stayForSignIn, staysForSignIn } from './session';

it('tells those who wait for a sign-in, and nobody who let go', () => {
  const [first, second] = [vi.fn(), vi.fn()];
  const letGo = stayForSignIn(first);
  const letGoToo = stayForSignIn(second);
  letGoToo();
  expect(staysForSignIn()).toBe(true);
  signedInAgain();
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  letGo();
  expect(staysForSignIn()).toBe(false);
});
