import { addWords, t as translate, type Key } from '../../i18n';
import { audit } from '../../i18n/en/audit';

addWords(audit);

/** As `t` of the page, with the texts of the audit log, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
