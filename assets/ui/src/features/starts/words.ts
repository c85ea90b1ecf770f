import { addWords, t as translate, type Key } from '../../i18n';
import { run } from '../../i18n/en/run';
import { starts } from '../../i18n/en/starts';

addWords({ ...run, ...starts });

/** As `t` of the page, with the texts of this part, which are loaded with it. */

export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
