import { expect, it } from 'vitest';
import { en } from './en';
import { audit } from './en/audit';
import { chat } from './en/chat';
import { editor } from './en/editor';
import { executions } from './en/executions';
import { run } from './en/run';
import { t } from './index';

it('fills in values and chooses plural forms', () => {
  expect(t('flows.deleteTitle', { name: '{count}' })).toBe('Delete “{count}”?');
  expect([t('flows.found', { count: 1 }), t('flows.found', { count: 0 })]).toEqual(['1 flow', '0 flows']);
});

it('holds no exclamation marks and no empty texts', () => {
  for (const [key, text] of Object.entries({ ...en, ...audit, ...chat, ...editor, ...executions, ...run })) {
    expect(text, key).not.toMatch(/!/);
    expect(text.trim(), key).not.toBe('');
  }
});
