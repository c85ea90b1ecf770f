import { addWords, t as translate, type Key } from '../../i18n';
import { knowledge } from '../../i18n/en/knowledge';

addWords(knowledge);

/** As `t` of the page, with the texts of these screens, which are loaded with them. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
