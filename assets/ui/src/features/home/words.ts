import { addWords, t as translate, type Key } from '../../i18n';
import { home } from '../../i18n/en/home';

addWords(home);

/** As `t` of the page, with the texts of Home, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
