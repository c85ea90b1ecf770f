import { expect, test } from 'vitest';
import { byResource, presetIn, presetOf, resourcesOf, share, toggleResource } from './permissions';

const names = (...list: string[]) => list.map((key) => ({ key, value: key }));
const resources = resourcesOf({
  chatflows: names('chatflows:config', 'chatflows:delete', 'chatflows:update', 'chatflows:view'),
  apikeys: names('apikeys:view', 'apikeys:create', 'apikeys:delete'),
  logs: names('logs:view'),
});
const everything = () => true;
const chatflows = resources[0] ?? { name: '', permissions: [] };

test('view, create, update and delete come first', () => {
  expect(chatflows.permissions).toEqual([
    'chatflows:view',
    'chatflows:update',
    'chatflows:delete',
    'chatflows:config',
  ]);
});

test('presets grow from asking to everything', () => {
  expect(presetOf('ask', resources, everything)).toEqual(['chatflows:view']);
  expect(presetOf('read', resources, everything)).toEqual(['chatflows:view', 'apikeys:view', 'logs:view']);
  expect(presetOf('edit', resources, everything)).toEqual([
    'chatflows:view',
    'chatflows:update',
    'chatflows:config',
    'apikeys:view',
    'logs:view',
  ]);
  expect(presetOf('all', resources, everything)).toHaveLength(8);
});

test('a preset holds only what the person may give', () => {
  const may = (name: string) => name.startsWith('chatflows');
  expect(presetOf('all', resources, may)).toHaveLength(4);
  expect(presetIn(presetOf('all', resources, may), resources, may)).toBe('all');
});

test('a choice is recognised as a preset, or is none', () => {
  expect(presetIn(['chatflows:view'], resources, everything)).toBe('ask');
  expect(presetIn(['logs:view', 'chatflows:view', 'apikeys:view'], resources, everything)).toBe('read');
  expect(presetIn(['logs:view'], resources, everything)).toBeNull();
  expect(presetIn([], resources, () => false)).toBeNull();
});

test('a resource is ticked as a whole', () => {
  const none = new Set<string>();
  expect(share(chatflows, none, everything)).toBe(false);
  const all = toggleResource(chatflows, none, everything);
  expect(share(chatflows, all, everything)).toBe(true);
  expect(toggleResource(chatflows, all, everything).size).toBe(0);
  expect(share(chatflows, new Set(['chatflows:view']), everything)).toBe('indeterminate');
  const may = (name: string) => name !== 'chatflows:delete';
  const given = toggleResource(chatflows, new Set(['logs:view']), may);
  expect(given.has('chatflows:delete')).toBe(false);
  expect(given.has('logs:view')).toBe(true);
  expect(share(chatflows, given, may)).toBe(true);
});

test('lists are grouped by resource', () => {
  expect([...byResource(['tools:create', 'logs:view', 'tools:view'])]).toEqual([
    ['tools', ['tools:view', 'tools:create']],
    ['logs', ['logs:view']],
  ]);
});
