import { addWords, t as translate, type Key } from '../../i18n';
import { flows } from '../../i18n/en/flows';

addWords(flows);

/** As `t` of the page, with the texts of the list of flows, which are loaded with whatever imports this. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
