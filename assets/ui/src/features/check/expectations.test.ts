import { describe, expect, it } from 'vitest';
import { nextRow, NoJson, placeRefusal, readRows, valueFor, writeRows } from './expectations';

describe('expectations', () => {
  it('come back from the form as they were', () => {
    const expected = [
      { kind: 'contains', value: 'thirty' },
      { kind: 'notContains', value: 'sorry' },
      { kind: 'equals', value: 'Yes.' },
      { kind: 'matches', value: '\\d+' },
      { kind: 'json', value: { type: 'object', required: ['a'] } },
      { kind: 'language', value: 'de' },
      { kind: 'maxMs', value: 500 },
      { kind: 'calls', value: 'search' },
      { kind: 'callsNot', value: 'mail' },
      { kind: 'refuses', value: true },
    ];
    expect(writeRows(readRows(expected))).toEqual(expected);
  });

  it('name the row whose schema is no JSON', () => {
    const rows = [nextRow([]), { ...nextRow([]), key: 1, kind: 'json' as const, value: '{' }];
    const told = (): unknown => {
      try {
        return writeRows(rows);
      } catch (fault) {
        return fault instanceof NoJson && fault.row;
      }
    };
    expect(told()).toBe(1);
  });

  it('leave a time that is no number to the service', () => {
    expect(writeRows([{ key: 0, kind: 'maxMs', value: 'soon' }])).toEqual([{ kind: 'maxMs', value: 'soon' }]);
  });

  it('keep their words when the kind changes to another one of words', () => {
    const row = { key: 0, kind: 'contains' as const, value: 'thirty' };
    expect(valueFor('notContains', row)).toBe('thirty');
    expect(valueFor('json', row)).toBe('');
    expect(valueFor('refuses', row)).toBe('false');
  });
});

describe('a refusal', () => {
  it('stands at the row that it names', () => {
    const message =
      'Invalid questions: expect row 2 of question 5: the pattern cannot be used: unclosed group.';
    expect(placeRefusal(message)).toEqual({
      at: 1,
      message: 'The pattern cannot be used: unclosed group.',
    });
  });

  it('stands at the question where that is at fault', () => {
    const message = 'Invalid questions[3]: a question must not be empty.';
    expect(placeRefusal(message)).toEqual({ at: 'text', message: 'A question must not be empty.' });
  });

  it('stands below the form otherwise', () => {
    const message = 'Invalid questions: a flow keeps 50 questions at most.';
    expect(placeRefusal(message)).toEqual({ at: 'form', message });
  });
});
