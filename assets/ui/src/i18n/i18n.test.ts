import { expect, it } from 'vitest';
import { en } from './en';
import { account } from './en/account';
import { apiKeys } from './en/apiKeys';
import { apicode } from './en/apicode';
import { assistants } from './en/assistants';
import { audit } from './en/audit';
import { chat } from './en/chat';
import { check } from './en/check';
import { credentials } from './en/credentials';
import { editor } from './en/editor';
import { executions } from './en/executions';
import { flowsettings } from './en/flowsettings';
import { gitcopy } from './en/gitcopy';
import { permissions } from './en/permissions';
import { pipelines } from './en/pipelines';
import { promote } from './en/promote';
import { roles } from './en/roles';
import { run } from './en/run';
import { tools } from './en/tools';
import { toolServers } from './en/toolServers';
import { users } from './en/users';
import { variables } from './en/variables';
import { versions } from './en/versions';
import { workspaces } from './en/workspaces';
import { t } from './index';

const parts = [
  en,
  account,
  apiKeys,
  apicode,
  assistants,
  audit,
  chat,
  check,
  credentials,
  editor,
  executions,
  flowsettings,
  gitcopy,
  permissions,
  pipelines,
  promote,
  roles,
  run,
  tools,
  toolServers,
  users,
  variables,
  versions,
  workspaces,
];
const all = parts.flatMap((one) => Object.entries(one));

it('has each key once', () => {
  expect(new Set(all.map(([key]) => key)).size).toBe(all.length);
});

it('fills in values and chooses plural forms', () => {
  expect(t('flows.deleteTitle', { name: '{count}' })).toBe('Delete “{count}”?');
  expect([t('flows.found', { count: 1 }), t('flows.found', { count: 0 })]).toEqual(['1 flow', '0 flows']);
});

it('holds no exclamation marks and no empty texts', () => {
  for (const [key, text] of all) {
    expect(text, key).not.toMatch(/!/);
    expect(text.trim(), key).not.toBe('');
  }
});
