import { addWords, t as translate, type Key } from '../../i18n';
import { publish } from '../../i18n/en/publish';

addWords(publish);

/** As `t` of the page, with the texts of publishing, which are loaded with whatever imports this. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
