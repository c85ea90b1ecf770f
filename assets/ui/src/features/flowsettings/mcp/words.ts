import { addWords, t as translate, type Key } from '../../../i18n';
import { mcp } from '../../../i18n/en/mcp';

addWords(mcp);

/** As `t` of the page, with the texts of this panel, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
