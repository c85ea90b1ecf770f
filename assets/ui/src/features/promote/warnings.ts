/** Which warnings of a version are told where, without React. */
import type { PromotionWarning } from '../../api/promotion';

/** Those of the list, what will fail first. Credentials of one name have a place of their own. */
export const toShow = (warnings: readonly PromotionWarning[]): PromotionWarning[] =>
  warnings
    .filter(({ code }) => code !== 'credential-ambiguous')
    .sort((a, b) => Number(b.blocking) - Number(a.blocking));

/** Those that are confirmed one by one. */
export const toConfirm = (warnings: readonly PromotionWarning[]): PromotionWarning[] =>
  warnings.filter(({ blocking }) => blocking);
