import { addWords, t as translate, type Key } from '../../i18n';
import { conversations } from '../../i18n/en/conversations';
import { run } from '../../i18n/en/run';

addWords({ ...run, ...conversations });

/** As `t` of the page, with the texts of these screens, which are loaded with them. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
