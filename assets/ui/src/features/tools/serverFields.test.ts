import { expect, test } from 'vitest';
import type { ToolServer } from '../../api/toolServers';
import { HIDDEN } from '../../core/hidden';
import {
  bodyOf,
  fieldsOf,
  headerProblems,
  isReachedAnew,
  nextHeader,
  urlProblem,
  type Header,
} from './serverFields';

const stored: ToolServer = {
  id: 'a',
  name: 'Weather',
  serverUrl: `https://tools.example:8443/${HIDDEN}`,
  iconSrc: null,
  color: null,
  authType: 'CUSTOM_HEADERS',
  authConfig: { headers: { Authorization: HIDDEN, 'X-Team': HIDDEN } },
  toolCount: 2,
  status: 'AUTHORIZED',
  createdDate: '2026-01-01T00:00:00.000Z',
  updatedDate: '2026-01-01T00:00:00.000Z',
  workspaceId: 'w',
};

const header = (name: string, value: string, id = 1): Header => ({ id, name, value, stored: false });

test('what is not typed anew stays as it is stored', () => {
  const fields = fieldsOf(stored);
  expect(bodyOf(fields)).toEqual({
    name: 'Weather',
    authType: 'CUSTOM_HEADERS',
    authConfig: { headers: { Authorization: HIDDEN, 'X-Team': HIDDEN } },
  });
  expect(headerProblems(fields, stored).size).toBe(0);
  expect(urlProblem(fields.url, stored)).toBe(null);
  expect(isReachedAnew(fields, stored)).toBe(false);
});

test('a server without headers is asked with none', () => {
  expect(bodyOf({ name: ' A ', url: ' https://a.example/mcp ', headers: [] })).toEqual({
    name: 'A',
    serverUrl: 'https://a.example/mcp',
    authType: 'NONE',
    authConfig: { headers: {} },
  });
  expect(isReachedAnew({ ...fieldsOf(stored), headers: [] }, stored)).toBe(true);
});

test('a stored value is typed again for another server, not for another path', () => {
  const moved = (url: string) => [...headerProblems({ ...fieldsOf(stored), url }, stored).values()];
  expect(moved('https://tools.example:8443/other')).toEqual([]);
  expect(moved('https://other.example/mcp')).toEqual(['again', 'again']);
  expect(moved('http://tools.example:8443/mcp')).toEqual(['again', 'again']);
});

test('an address is one that can be called, written out', () => {
  for (const bad of ['tools.example', 'ftp://a.example', 'https://u:p@a.example', stored.serverUrl])
    expect(urlProblem(bad, stored), bad).toBe('badUrl');
  expect(urlProblem('', null)).toBe('required');
  expect(urlProblem('http://localhost:9/mcp', null)).toBe(null);
});

test('headers have names of their own and values', () => {
  const headers = [
    header('A', 'x', 1),
    header('a', 'y', 2),
    header('b c', 'x', 3),
    header('D', '', 4),
    header(' ', 'x', 5),
  ];
  expect([...headerProblems({ name: '', url: '', headers }, null)]).toEqual([
    [2, 'twice'],
    [3, 'badHeader'],
    [4, 'required'],
    [5, 'required'],
  ]);
  expect(nextHeader(headers)).toEqual({ ...header('', ''), id: 6 });
});
