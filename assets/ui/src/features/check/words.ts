import { createContext, use } from 'react';
import type { CheckSource } from '../../api/checks';
import { addWords, t as translate, type Key } from '../../i18n';
import { check } from '../../i18n/en/check';
import { run } from '../../i18n/en/run';

addWords({ ...run, ...check });

type Say = (key: Key, values?: Record<string, string | number>) => string;

/** As `t` of the page, with the texts of checks, which are loaded with them. */
export const t: Say = (key, values) => translate(key, values);

/** What the check that is shown compares with Live. */
export const Source = createContext<CheckSource>('draft');

const isKey = (key: string): key is keyof typeof check => key in check;

/** A text that names the draft has a second form, which names the version from Dev. */
const ofIncoming: Say = (key, values) => {
  const other = key.replace('check.', 'check.incoming.');
  return translate(isKey(other) ? other : key, values);
};

/** `t` for texts that name what is checked. */
export const wordsOf = (source: CheckSource): Say => (source === 'incoming' ? ofIncoming : t);

export const useWords = (): Say => wordsOf(use(Source));
