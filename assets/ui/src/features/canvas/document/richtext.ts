/** Prompts that Flowise and other editors keep as rich text, shown and written as plain text where that loses nothing. */

/** Whether a text begins like one of a rich-text editor. */
const isRich = (value: string): boolean => /^\s*<p>/.test(value);

/** The plain text of a rich one; null when it holds more than paragraphs, breaks and mentions. */
export function plainOf(value: string): string | null {
  if (!isRich(value)) return value;
  const bare = value
    .replace(/<span\b[^>]*data-type="mention"[^>]*>([^<]*)<\/span>/g, '$1')
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<\/p>\s*<p>/g, '\n')
    .replace(/^\s*<p>|<\/p>\s*$/g, '');
  if (/<\/?[a-z][^>]*>/i.test(bare)) return null;
  return bare
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');
}

/** Typed text in the form that the value had before. */
export function keepForm(typed: string, before: string): string {
  if (!isRich(before) || plainOf(before) === null) return typed;
  const paragraphs = typed.split('\n').map((line) => `<p>${escape(line)}</p>`);
  return typed === '' ? '' : paragraphs.join('');
}

const escape = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
