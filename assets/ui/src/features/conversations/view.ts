import type { ChatType, ConversationFilter, MessageFilter, Rating } from '../../api/conversations';
import { edgeOfDay } from '../../core/paging';

/** The part of the conversations that an address names. */

export const LIMIT = 25;
export const sources: readonly ChatType[] = ['EXTERNAL', 'INTERNAL', 'SCHEDULED', 'WEBHOOK', 'MCP'];
export const ratings: readonly Rating[] = ['THUMBS_UP', 'THUMBS_DOWN'];
/** Those that choose messages, and those that choose conversations by what is said or was done in them. */
const messageNames = ['q', 'source', 'rating', 'since', 'until'];
export const searchNames = ['version', 'failed', 'stopped'];
export const filterNames = [...messageNames, ...searchNames];

/** What an address asks for; anything odd in it asks for nothing. */
export function filterOf(read: (name: string) => string): MessageFilter {
  const source = sources.find((one) => one === read('source'));
  const rating = ratings.find((one) => one === read('rating'));
  const text = read('q').trim();
  const [startDate, endDate] = [edgeOfDay(read('since'), false), edgeOfDay(read('until'), true)];
  return {
    ...(text ? { text } : {}),
    ...(source ? { chatType: [source] } : {}),
    ...(rating ? { feedbackType: [rating] } : {}),
    ...(startDate ? { startDate } : {}),
    ...(endDate ? { endDate } : {}),
  };
}

/** How an answer of a conversation went; empty where that does not matter. */
export const outcomes = ['failed', 'stopped'] as const;
export const outcomeOf = (read: (name: string) => string): (typeof outcomes)[number] | '' =>
  outcomes.find((one) => read(one) === 'true') ?? '';

/** Which conversations an address asks for. */
export function searchOf(read: (name: string) => string, flow: string): ConversationFilter {
  const version = read('version');
  const outcome = outcomeOf(read);
  return {
    ...filterOf(read),
    ...(flow ? { flowId: flow } : {}),
    ...(/^[0-9a-f]{7,40}$/.test(version) ? { versionId: version } : {}),
    ...(outcome ? { [outcome]: 'true' as const } : {}),
  };
}
