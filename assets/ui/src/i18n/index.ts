import { plural } from '../core/format';
import { en, type Key } from './en';

export type { Key } from './en';
export type Words = Record<Key, string>;

let words: Partial<Words> = en;
let tag = 'en';

/** Takes another language; what it lacks stays English. */
export function setWords(language: string, other: Partial<Words>): void {
  tag = language;
  words = { ...en, ...other };
}

/**
 * The text of a key. `{name}` is replaced by the value of that name. A text with `|` has plural forms, chosen by
 * `count`: `{count} flow|{count} flows` (`one|other`).
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  let text: string = words[key] ?? en[key];
  if (text.includes('|') && typeof values.count === 'number') {
    const [one = '', other = one] = text.split('|');
    text = plural(values.count, tag) === 'one' ? one : other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
