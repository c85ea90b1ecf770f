import { addWords, t as translate, type Key } from '../../i18n';
import { run } from '../../i18n/en/run';

addWords(run);

/** As `t` of the page, with the texts of runs, which are loaded with whatever imports this. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
