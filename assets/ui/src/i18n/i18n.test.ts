import { expect, it } from 'vitest';
import { de } from './de';
import { flows } from './en/flows';
import { addWords, setWords, t } from './index';
import { eitherWay, pseudo } from './pseudo';

addWords(flows);
const parts = import.meta.glob<Record<string, Record<string, string>>>('./en/*.ts', { eager: true });
const all = Object.values(parts).flatMap((file) => Object.values(file).flatMap((one) => Object.entries(one)));

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

it('has a German text for each key, with the same values and plural forms', () => {
  const german: Record<string, string> = de;
  expect(Object.keys(german).sort()).toEqual(all.map(([key]) => key).sort());
  const parts = (text: string): unknown => ({
    values: [...new Set(text.match(/\{\w+\}/g))].sort(),
    forms: text.split('|').length,
  });
  for (const [key, text] of all) {
    expect(parts(german[key] ?? ''), key).toEqual(parts(text));
    expect(german[key]?.trim(), key).toMatch(/^[^!]+$/);
  }
});

it('says what is chosen, and English again', () => {
  setWords('de', de);
  expect(t('flows.found', { count: 2 })).toBe('2 Flows');
  expect(t('flows.deleteTitle', { name: 'A' })).toBe('„A“ löschen?');
  setWords('en', {}, pseudo);
  expect(t('flows.found', { count: 1 })).toMatch(/^1 ƒļöŵ[ ~]+$/);
  setWords('en', {});
  expect(t('flows.found', { count: 2 })).toBe('2 flows');
});

it('finds a text of the page in the language for tests as well', () => {
  for (const text of ['Save draft', '“{name}” is deleted', 'Nothing (yet).'])
    for (const shown of [text, pseudo(text)]) {
      expect(shown).toMatch(eitherWay(text, true));
      expect(shown).toMatch(eitherWay(new RegExp(`^${text.replace(/[.(){}]/g, '\\$&')}$`), true));
      expect(`${shown} and more`).not.toMatch(eitherWay(text, true));
      expect(`And ${shown}`).toMatch(eitherWay(text.slice(1), false));
    }
  const within = pseudo('Lost: {sum}.').replace('{sum}', pseudo('1 changed'));
  expect(within).toMatch(eitherWay('Lost: 1 changed.', true));
  expect(pseudo('2 steps')).toMatch(eitherWay(/^\d steps?$/, true));
});
