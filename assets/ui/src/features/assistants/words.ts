import { addWords, t as translate, type Key } from '../../i18n';
import { assistants } from '../../i18n/en/assistants';

addWords(assistants);

/** As `t` of the page, with the texts of assistants, which are loaded with whatever imports this. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
