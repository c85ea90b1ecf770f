import { expect, test } from 'vitest';
import { cutOf, cutsOf } from './bounds';

test('pieces are the whole text, and say which passages they belong to', () => {
  const text = 'One two three.\n\nFour five six seven.';
  const { pieces, found } = cutOf(text, ['One two three.', 'Four five six', 'six seven.']);
  expect(pieces.map((one) => one.text).join('')).toBe(text);
  expect(found).toBe(3);
  expect(pieces).toEqual([
    { text: 'One two three.', in: [0], begins: 1 },
    { text: '\n\n', in: [], begins: null },
    { text: 'Four five ', in: [1], begins: 2 },
    { text: 'six', in: [1, 2], begins: 3 },
    { text: ' seven.', in: [2], begins: null },
  ]);
});

test('the same words twice are two passages', () => {
  expect(cutOf('ab ab', ['ab', 'ab']).pieces.map(({ begins }) => begins)).toEqual([1, null, 2]);
});

test('what is not in the text ends the search, and what is left of the text is in no passage', () => {
  const { pieces, found } = cutOf('one two three', ['one', 'zwei', 'three']);
  expect([found, pieces.map((one) => one.text)]).toEqual([1, ['one', ' two three']]);
  expect(cutOf('', ['a'])).toEqual({ pieces: [], found: 0 });
});

test('passages of a second document are looked for in the second document', () => {
  const cuts = cutsOf(['one two', 'two three'], ['one', 'two', 'two three']);
  expect(cuts.map(({ found }) => found)).toEqual([2, 1]);
  expect(cuts[1]?.pieces[0]?.begins).toBe(3);
});
