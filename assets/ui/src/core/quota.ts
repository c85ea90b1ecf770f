/** What a workspace may hold and use, as fields hold it and as the service stores it. */
import {
  budgetOf,
  isLimit,
  isLimitFromNone,
  textOfBudget,
  textOfLimit,
  type Budget,
  type BudgetText,
} from './budget';

/** What is counted one by one. */
export const countedParts = ['flows', 'chunks', 'characters', 'vectors'] as const;
export type CountedPart = (typeof countedParts)[number];

export type Quota = { [Part in CountedPart | 'fileBytes']?: number | null } & { budget?: Budget | null };

/** As it is typed; an empty text is no limit. Files are typed in megabytes. */
export type QuotaText = Record<CountedPart | 'files', string> & BudgetText;

const MEGABYTE = 1_000_000;
const MEGABYTES = /^(\d{1,7})(?:[.,](\d{1,6}))?$/;

export const textOfQuota = (quota: Quota | null | undefined): QuotaText => ({
  flows: textOfLimit(quota?.flows),
  chunks: textOfLimit(quota?.chunks),
  characters: textOfLimit(quota?.characters),
  vectors: textOfLimit(quota?.vectors),
  files: textOfLimit(quota?.fileBytes == null ? null : quota.fileBytes / MEGABYTE),
  ...textOfBudget(quota?.budget),
});

/** Bytes of what is typed as megabytes, exactly; null where that is no size that the service takes. */
export function bytesOf(text: string): number | null {
  const [, whole = '', part = ''] = MEGABYTES.exec(text.trim()) ?? [];
  if (!whole) return null;
  const size = Number(whole) * MEGABYTE + Number(part.padEnd(6, '0'));
  return isLimitFromNone(String(size)) ? size : null;
}

/** Whether the service takes what was typed for this part. */
export function isPart(name: keyof QuotaText, text: string): boolean {
  if (name === 'files') return text.trim() === '' || bytesOf(text) !== null;
  return name === 'questions' || name === 'tokens' ? isLimit(text) : isLimitFromNone(text);
}

/** What is stored; null where nothing is limited. */
export function quotaOf(text: QuotaText): Quota | null {
  const quota: Quota = {};
  for (const part of countedParts) {
    if (text[part].trim()) quota[part] = Number(text[part]);
  }
  if (text.files.trim()) quota.fileBytes = bytesOf(text.files);
  const budget = budgetOf(text);
  if (budget) quota.budget = budget;
  return Object.keys(quota).length > 0 ? quota : null;
}
