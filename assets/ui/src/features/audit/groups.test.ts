import { expect, test } from 'vitest';
import { audit } from '../../i18n/en/audit';
import { groups, isGroup } from './groups';

test('every action of a group has words, and each word a group', () => {
  const inGroups = Object.values(groups)
    .flat()
    .map((action) => `audit.do.${action}`);
  const words = Object.keys(audit).filter((key) => key.startsWith('audit.do.'));
  expect([...inGroups].sort()).toEqual(words.sort());
  expect(isGroup('keys')).toBe(true);
  expect(isGroup('x')).toBe(false);
});
