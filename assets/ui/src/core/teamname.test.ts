import { expect, test } from 'vitest';
import { NAME_CHARS_MAX, withFreeName } from './teamname';

const canvas = (harnessName?: string): string =>
  JSON.stringify({ nodes: [{ id: 'a', data: { name: 'harnessTeam', inputs: { harnessName } } }], edges: [] });

test('a copy of a harness has the first number behind its name that is free', () => {
  expect(withFreeName(canvas('desk'), ['desk', 'desk-2'])).toBe(canvas('desk-3'));
  expect(withFreeName(canvas('desk'), ['law'])).toBe(canvas('desk'));
});

test('a long name makes room for the number', () => {
  const long = 'x'.repeat(NAME_CHARS_MAX);
  expect(withFreeName(canvas(long), [long])).toBe(canvas(`${'x'.repeat(NAME_CHARS_MAX - 2)}-2`));
});

test('a canvas without a team stays as it is', () => {
  const empty = '{ "nodes": [], "edges": [] }';
  expect(withFreeName(empty, ['desk'])).toBe(empty);
  expect(withFreeName(canvas(), ['desk'])).toBe(canvas());
});
