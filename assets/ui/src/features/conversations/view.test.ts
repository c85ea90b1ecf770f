import { expect, test } from 'vitest';
import { daysOf, promptsOf } from './reading';
import { filterOf, searchOf } from './view';

const at = (parts: Record<string, string>) => filterOf((name) => parts[name] ?? '');

test('an address asks for what it names, and for nothing where it says something odd', () => {
  expect(at({ source: 'EXTERNAL', rating: 'THUMBS_DOWN' })).toEqual({
    chatType: ['EXTERNAL'],
    feedbackType: ['THUMBS_DOWN'],
  });
  expect(at({ source: 'nowhere', rating: 'five', since: 'yesterday' })).toEqual({});
  expect(at({ since: '2026-01-02' }).startDate).toMatch(/^2026-01-0[12]T/);
});

test('an address says which words, version and flow are meant, and whether something failed', () => {
  const search = (parts: Record<string, string>) => searchOf((name) => parts[name] ?? '', 'f');
  expect(search({ q: ' late parcel ', version: '0123abc', failed: 'true' })).toEqual({
    flowId: 'f',
    text: 'late parcel',
    versionId: '0123abc',
    failed: 'true',
  });
  expect(search({ q: ' ', version: '../x', failed: 'maybe' })).toEqual({ flowId: 'f' });
  expect(search({ stopped: 'true' })).toEqual({ flowId: 'f', stopped: 'true' });
  // The list of outcomes shows one, and no other than that is asked for.
  expect(search({ failed: 'true', stopped: 'true' })).toEqual({ flowId: 'f', failed: 'true' });
});

test('words choose messages, so that they are counted and deleted by them too', () => {
  expect(at({ q: ' late parcel ' })).toEqual({ text: 'late parcel' });
});

test('a conversation is looked for where it stands in time, with its first and last message', () => {
  const { startDate, endDate } = daysOf([
    { createdDate: '2026-11-29T10:00:00.500Z' },
    { createdDate: '2026-11-29T09:00:00Z' },
  ]);
  expect([startDate, endDate]).toEqual(['2026-11-29T08:59:59.000Z', '2026-11-29T10:00:01.500Z']);
});

test('questions that were offered are read with care', () => {
  expect(promptsOf('["How much?",7,"When?"]')).toEqual(['How much?', 'When?']);
  expect([promptsOf(null), promptsOf('{"a":1}'), promptsOf('[')]).toEqual([[], [], []]);
});
