/**
 * A language for tests of the page: every text is longer, every letter has an accent, and it reads from right to left. What
 * stays English in it was never given to `t`; what is cut off in it has no room for a language with longer words.
 */

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'áƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÁƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ';

const letters = new Map([...plain].map((letter, at) => [letter, [...accented][at] ?? letter]));

/** What makes a text longer: pieces that may be broken, as words may. */
const filling = (length: number): string => ' ~~~~~'.repeat(Math.ceil((length * 0.4 + 2) / 6));

/** The text in that language; values are still put in by their names. */
export function pseudo(text: string): string {
  return text
    .split('|')
    .map((form) => {
      const said = form.replace(/\{\w+\}|[a-zA-Z]/g, (found) => letters.get(found) ?? found);
      return `${said}${filling(form.length)}`;
    })
    .join('|');
}

/** Where the filling of a text, or of one that was put into it, may stand. */
const FREE = '[\\s~]*';

/** A pattern that finds a text of the page in either language, so that one test can run in both. */
export function eitherWay(wanted: string | RegExp, exact: boolean): RegExp {
  if (wanted instanceof RegExp) {
    // What is escaped stands for itself or for something else than a letter.
    const source = wanted.source.replace(/\\.|\(\?[:=!<]+|[a-zA-Z]|\$/g, (found) => {
      if (found === '$') return `${FREE}$`;
      return /^\\\W$/.test(found) ? FREE + found : either(found);
    });
    return new RegExp(source, wanted.flags.replace(/[gi]/g, '') + 'i');
  }
  const source = [...wanted.trim()]
    .map((sign) => {
      if (/\s/.test(sign)) return '[\\s~]+';
      return /[^\p{L}\d]/u.test(sign) ? FREE + sign.replace(/[.*+?^${}()|[\]\\]/, '\\$&') : either(sign);
    })
    .join('');
  return exact ? new RegExp(`^\\s*${source}${FREE}$`) : new RegExp(source, 'i');
}

const either = (sign: string): string => {
  const other = letters.get(sign);
  return other ? `(?:${sign}|${other})` : sign;
};
