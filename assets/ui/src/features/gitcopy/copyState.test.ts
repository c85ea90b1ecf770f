import { expect, it } from 'vitest';
import type { CopyState, CopyStatus } from '../../api/gitcopy';
import { gitcopy } from '../../i18n/en/gitcopy';
import { isPage, secondsUntil, toldOf } from './copyState';

const states: CopyState[] = [
  'not-connected',
  'up-to-date',
  'waiting',
  'copying',
  'retrying',
  'stopped',
  'off',
];
const roles: CopyStatus['role'][] = ['copy', 'read'];

it('has one sentence for each of the seven states in both roles', () => {
  for (const state of states) {
    for (const role of roles) {
      const told = toldOf({ state, role, waiting: 3 });
      expect([told.title in gitcopy, told.text in gitcopy], `${state} ${role}`).toEqual([true, true]);
    }
  }
});

it('counts what waits only where it is known', () => {
  expect(toldOf({ state: 'waiting', role: 'copy', waiting: 2 }).count).toBe(2);
  expect(toldOf({ state: 'waiting', role: 'copy', waiting: null }).text).toBe(
    'gitcopy.state.waitingTextUncounted',
  );
  expect(toldOf({ state: 'copying', role: 'read', waiting: 2 }).count).toBeNull();
});

it('knows for each state what helps', () => {
  const helps = states.map((state) => toldOf({ state, role: 'copy', waiting: 0 }).action);
  expect(helps).toEqual(['connect', 'copy', 'copy', 'copy', 'again', 'again', null]);
});

it('counts down to the next try and not below zero', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(secondsUntil('2026-01-01T00:00:02.400Z', now)).toBe(3);
  expect(secondsUntil('2025-12-31T23:59:59Z', now)).toBe(0);
  expect(secondsUntil(null, now)).toBe(0);
});

it('links to pages only', () => {
  expect(isPage('https://host.example/team/flows')).toBe(true);
  expect([isPage('file:///srv/git/a/b.git'), isPage('javascript:alert(1)'), isPage(null)]).toEqual([
    false,
    false,
    false,
  ]);
});
