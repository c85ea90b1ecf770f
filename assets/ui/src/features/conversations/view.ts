import type { ChatType, MessageFilter, Rating } from '../../api/conversations';
import { edgeOfDay } from '../../core/paging';

/** The part of the conversations that an address names. */

export const LIMIT = 25;
export const sources: readonly ChatType[] = ['EXTERNAL', 'INTERNAL', 'SCHEDULED', 'WEBHOOK'];
export const ratings: readonly Rating[] = ['THUMBS_UP', 'THUMBS_DOWN'];
export const filterNames = ['source', 'rating', 'since', 'until'];

/** What an address asks for; anything odd in it asks for nothing. */
export function filterOf(read: (name: string) => string): MessageFilter {
  const source = sources.find((one) => one === read('source'));
  const rating = ratings.find((one) => one === read('rating'));
  const [startDate, endDate] = [edgeOfDay(read('since'), false), edgeOfDay(read('until'), true)];
  return {
    ...(source ? { chatType: [source] } : {}),
    ...(rating ? { feedbackType: [rating] } : {}),
    ...(startDate ? { startDate } : {}),
    ...(endDate ? { endDate } : {}),
  };
}

/** A table as spreadsheets read it. What would be taken for a formula is told as text. */
export function csv(rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown): string => {
    const text = value === null || value === undefined ? '' : String(value as string);
    const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
