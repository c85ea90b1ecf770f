import { addWords, t as translate, type Key } from '../../i18n';
import { usage } from '../../i18n/en/usage';

addWords(usage);

/** As `t` of the page, with the texts of this screen, which are loaded with it. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);

/** A flow that was deleted has no name any more; the beginning of its id tells it from others. */
export const flowName = (id: string, name: string | null): string =>
  name ?? t('usage.deletedFlow', { id: id.slice(0, 8) });
