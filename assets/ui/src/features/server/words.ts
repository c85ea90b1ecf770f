import { addWords, t as translate, type Key } from '../../i18n';
import { server } from '../../i18n/en/server';

addWords(server);

/** As `t` of the page, with the texts of this screen, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
