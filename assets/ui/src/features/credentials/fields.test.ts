import { expect, test } from 'vitest';
import type { CredentialType } from '../../api/credentials';
import { HIDDEN } from '../../core/hidden';
import { entriesOf, problemOf, toSend, type Entries } from './fields';

const type: CredentialType = {
  label: 'Redis',
  name: 'redis',
  version: 1,
  inputs: [
    { label: 'Host', name: 'host', type: 'string', default: '127.0.0.1' },
    { label: 'Port', name: 'port', type: 'number', default: 6379 },
    { label: 'Password', name: 'password', type: 'password' },
    { label: 'Token', name: 'token', type: 'password', optional: true },
    { label: 'SSL', name: 'ssl', type: 'boolean' },
    { label: 'URL', name: 'url', type: 'url', optional: true },
    { label: 'Mode', name: 'mode', type: 'options', options: [{ label: 'A', name: 'a' }] },
  ],
};
const stored = { host: 'db', port: 1, password: HIDDEN, ssl: true, url: `redis://u:${HIDDEN}@h` };

function field(name: string) {
  const found = type.inputs.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}
function entry(entries: Entries, name: string, text?: string) {
  const found = entries[name];
  if (!found) throw new Error(name);
  return text === undefined ? found : { ...found, text, touched: true };
}

test('a new form begins with defaults and sends all of them', () => {
  const entries = entriesOf(type, null);
  expect(entry(entries, 'host').text).toBe('127.0.0.1');
  expect(entry(entries, 'port').text).toBe('6379');
  expect(toSend(type, { ...entries, password: entry(entries, 'password', ' p ') })).toEqual({
    host: '127.0.0.1',
    port: 6379,
    password: ' p ',
    token: '',
    ssl: false,
    url: '',
    mode: null,
  });
});

test('hidden secrets are not shown and not sent back', () => {
  const entries = entriesOf(type, stored);
  expect(entry(entries, 'password').text).toBe('');
  expect(entry(entries, 'url').text).toBe('');
  expect(entry(entries, 'ssl').on).toBe(true);
  expect(toSend(type, entries)).toEqual({});
  expect(toSend(type, { ...entries, host: entry(entries, 'host', 'new') })).toEqual({ host: 'new' });
  const removed = { ...entry(entries, 'password'), removed: true };
  expect(toSend(type, { ...entries, password: removed })).toEqual({ password: null });
});

test('a secret is asked for once', () => {
  expect(problemOf(field('password'), entry(entriesOf(type, null), 'password'), null)).toBe('required');
  expect(problemOf(field('token'), entry(entriesOf(type, null), 'token'), null)).toBeNull();
  const again = entriesOf(type, stored);
  expect(problemOf(field('password'), entry(again, 'password'), stored)).toBeNull();
  expect(problemOf(field('password'), entry(again, 'password', ''), stored)).toBe('required');
});

test('numbers and addresses are looked at before they are sent', () => {
  const entries = entriesOf(type, null);
  const wrong = (name: string, text: string) => problemOf(field(name), entry(entries, name, text), null);
  expect(wrong('port', 'x')).toBe('number');
  expect(wrong('port', ' 12 ')).toBeNull();
  expect(wrong('url', 'localhost')).toBe('url');
  expect(wrong('url', 'redis://localhost')).toBeNull();
});
