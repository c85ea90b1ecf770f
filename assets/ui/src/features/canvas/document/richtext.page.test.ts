import { expect, test } from 'vitest';
import { keepForm, plainOf, wordsOf } from './richtext';

test('rich text of other editors is shown plain and kept in its form', () => {
  const rich =
    '<p>Hi <span class="variable" data-type="mention" data-id="q">{{ question }}</span> &amp; you</p><p>Bye</p>';
  expect(plainOf(rich)).toBe('Hi {{ question }} & you\nBye');
  expect(keepForm('A < B\nC', rich)).toBe('<p>A &lt; B</p><p>C</p>');
  expect(plainOf('<p>a</p><ul><li>b</li></ul>')).toBeNull();
  expect(plainOf('<h2>a</h2>')).toBeNull();
  expect(plainOf('just text <b>')).toBe('just text <b>');
  expect(keepForm('x', 'plain')).toBe('x');
});

test('every entity is shown as its character, and decoded once', () => {
  expect(plainOf('<p>a&nbsp;b&#39;c&#x2014;d &eacute; &amp;lt; &unknown;</p>')).toBe(
    "a b'c—d é &lt; &unknown;",
  );
});

test('the words of a rich text are without its marks', () => {
  const lines = (rich: string): string[] => wordsOf(rich).split('\n').filter(Boolean);
  expect(lines('<p>A <b>bo</b>ld &amp; <em>fine</em> word</p><ul><li>One</li></ul>')).toEqual([
    'A bold & fine word',
    'One',
  ]);
  const strange = '<p>a</p><style>p { color: red }</style><!-- x --><script>1 < 2</script><h2 id="x">b</h2>';
  expect(lines(strange)).toEqual(['a', 'b']);
  // Code and templates that are no rich text stay as they are.
  expect(wordsOf('if (a < b) return "<span>"')).toBe('if (a < b) return "<span>"');
});
