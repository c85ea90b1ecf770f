import { expect, test } from 'vitest';
import { formOf, misfitIn } from './jsonForm';

const plain = { type: ['string', 'number', 'boolean'] };
const texts = { type: 'object', additionalProperties: plain };
const row = { type: 'object', properties: { key: { type: 'string' }, value: true } };
const pairs = { anyOf: [texts, { type: 'array', items: row }] };
const textList = { type: 'array', items: { type: 'string' } };
const fields = { property: { type: 'string' }, type: { type: 'string' } };
const rows = { type: 'array', items: { type: 'object', properties: fields } };

test('a schema is told in a few words', () => {
  const told = [{ type: 'object' }, texts, pairs, textList, rows].map(formOf);
  expect(told.map((form) => form?.key)).toEqual(['object', 'texts', 'pairs', 'textList', 'rows']);
  expect(told[4]).toEqual({ key: 'rows', fields: ['property', 'type'] });
  expect([formOf(undefined), formOf(true), formOf({ type: 'string' })]).toEqual([null, null, null]);
});

// The values are those of the test of the service (`json_shape.rs`).
test.each([
  [{ type: 'object' }, [], 'object'],
  [texts, { a: {} }, 'plain'],
  [texts, { a: null }, 'plain'],
  [texts, [], 'object'],
  [texts, 'a', 'object'],
  [pairs, [{ key: 1 }], 'text'],
  [textList, ['a', 1], 'text'],
  [rows, {}, 'list'],
  [rows, ['a'], 'object'],
  [rows, [{ type: 1 }], 'text'],
])('%j does not take %j', (schema, value, wanted) => {
  expect(misfitIn(schema, JSON.stringify(value))?.wanted).toBe(wanted);
});

test.each([
  [true, 1],
  [{ type: 'object' }, { a: [{}] }],
  [texts, { a: 'b', c: 1, d: true }],
  [pairs, { a: 'b', c: 1, d: true }],
  [pairs, [{ key: 'a', value: { b: 1 }, id: 7 }, {}]],
  [textList, ['a']],
  [rows, [{ property: 'a', actions: 1 }, {}]],
])('%j takes %j', (schema, value) => {
  expect(misfitIn(schema, JSON.stringify(value))).toBeNull();
});

test('the place is that of the value, whatever stands around it', () => {
  const at = (schema: unknown, text: string) => misfitIn(schema, text)?.at;
  expect(at(texts, '{\n  "{a": "}",\n  "b\\"": [\n    1, {"c": []}],\n  "d": 2\n}')).toEqual({
    line: 3,
    column: 10,
    offset: 24,
  });
  expect(at(rows, '[{"property": "a"}, {"type": "b", "property": 5}]')).toMatchObject({ column: 47 });
  expect(at(textList, ' {}')).toMatchObject({ line: 1, column: 2 });
  expect(at(textList, '["a", [], 3]')).toMatchObject({ column: 7 });
  expect(at(texts, '{"a": {}, "a": []}')).toMatchObject({ column: 16 });
});

test('what a run fills in, what is empty and what is no JSON is left to others', () => {
  expect(['', '  ', '["{{a}}", 1]', '[1'].map((text) => misfitIn(textList, text))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
