import { plural } from '../core/format';
import { en } from './en';
import type { PartKey } from './parts';

export type Key = keyof typeof en | PartKey;
export type Words = Record<Key, string>;

let english: Partial<Words> = en;
let words: Partial<Words> = en;
let tag = 'en';

let rewritten = (text: string): string => text;

/** Takes another language; what it lacks stays English. `rewrite` makes a language of the texts that there are. */
export function setWords(
  language: string,
  other: Partial<Words>,
  rewrite = (text: string): string => text,
): void {
  tag = language;
  words = { ...english, ...other };
  rewritten = rewrite;
}

/** Adds the English texts of a part that is loaded when it is first needed. */
export function addWords(more: Partial<Words>): void {
  english = { ...english, ...more };
  words = { ...more, ...words };
}

/**
 * The text of a key. `{name}` is replaced by the value of that name. A text with `|` has plural forms, chosen by
 * `count`: `{count} flow|{count} flows` (`one|other`).
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  let text = rewritten(words[key] ?? english[key] ?? key);
  if (text.includes('|') && typeof values.count === 'number') {
    const [one = '', other = one] = text.split('|');
    text = plural(values.count, tag) === 'one' ? one : other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
