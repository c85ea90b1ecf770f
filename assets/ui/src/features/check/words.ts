import { addWords, t as translate, type Key } from '../../i18n';
import { check } from '../../i18n/en/check';
import { run } from '../../i18n/en/run';

addWords({ ...run, ...check });

/** As `t` of the page, with the texts of checks, which are loaded with them. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
