import { addWords, t as translate, type Key } from '../../i18n';
import { chat } from '../../i18n/en/chat';

addWords(chat);

/** As `t` of the page, with the texts of the test chat, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
