/** Prompts that Flowise and other editors keep as rich text, shown and written as plain text where that loses nothing. */

/** Tags that a rich text can begin with, as the service knows one by. */
const BLOCK = 'p|h[1-6]|ul|ol|blockquote|pre|table|hr|div';
const RICH = new RegExp(`^\\s*<(?:${BLOCK})(?=[\\s/>])`, 'i');
/** Tags that begin a line where they stand. */
const LINES = new RegExp(`</?(?:${BLOCK}|li|t[rdh]|t?head|tbody|tfoot)(?=[\\s/>])[^>]*>`, 'gi');
const TAG = /<\/?[a-z][^>]*>/gi;
/** What nobody is shown. */
const HIDDEN = /<(script|style)\b[^>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** Whether a text begins like one of a rich-text editor. */
const isRich = (value: string): boolean => RICH.test(value);

/** The plain text of a rich one; null when it holds more than paragraphs, breaks and mentions. */
export function plainOf(value: string): string | null {
  if (!isRich(value)) return value;
  const bare = withBreaks(value)
    .replace(/<span\b[^>]*data-type="mention"[^>]*>([^<]*)<\/span>/g, '$1')
    .replace(/<\/p>\s*<p>/g, '\n')
    .replace(/^\s*<p>|<\/p>\s*$/g, '');
  return bare.search(TAG) < 0 ? decode(bare) : null;
}

/** What a person reads of a text, whatever it holds: marks of rich text are left out, and its blocks stand on lines of their own. */
export function wordsOf(value: string): string {
  const plain = plainOf(value);
  if (plain !== null) return plain;
  return decode(withBreaks(value.replace(HIDDEN, '')).replace(LINES, '\n').replace(TAG, ''));
}

/** Typed text in the form that the value had before. */
export function keepForm(typed: string, before: string): string {
  if (!isRich(before) || plainOf(before) === null) return typed;
  const paragraphs = typed.split('\n').map((line) => `<p>${escape(line)}</p>`);
  return typed === '' ? '' : paragraphs.join('');
}

const withBreaks = (value: string): string => value.replace(/<br\s*\/?>/gi, '\n');

const escape = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const decode = (text: string): string => text.replace(/&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi, character);

/** The characters of the entities met so far: the browser knows all of them, and is asked once for each. */
const characters = new Map<string, string>([['&nbsp;', ' ']]);

function character(entity: string): string {
  let known = characters.get(entity);
  if (known === undefined) {
    known = new DOMParser().parseFromString(entity, 'text/html').documentElement.textContent ?? entity;
    characters.set(entity, known);
  }
  return known;
}
