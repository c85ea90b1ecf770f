import { expect, test } from 'vitest';
import { nextArgument, problemsOf, readArguments, writeArguments } from './arguments';

const text = '[{"id":7,"property":"city","type":"string","description":"Where","required":true}]';

test('arguments are read and written', () => {
  const rows = readArguments(text);
  expect(rows).toEqual([{ id: 1, property: 'city', type: 'string', description: 'Where', required: true }]);
  expect(readArguments(writeArguments(rows))).toEqual(rows);
});

test('what is no list of arguments is none', () => {
  for (const bad of ['', 'x', '{}', '[1,null,{"a":1}]']) expect(readArguments(bad)).toEqual([]);
  expect(readArguments('[{"property":"a","type":"odd"}]')[0]?.type).toBe('string');
});

test('names are asked for, shaped and unique', () => {
  const rows = ['', 'a b', 'ok', ' ok '].map((property, at) => ({ ...nextArgument([]), id: at, property }));
  expect([...problemsOf(rows)]).toEqual([
    [0, 'required'],
    [1, 'badArgument'],
    [3, 'twice'],
  ]);
  expect(nextArgument(rows).id).toBe(4);
});
