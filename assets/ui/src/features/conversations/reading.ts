import type { Message, MessageFilter } from '../../api/conversations';

/** What the messages of one conversation say of it. */

/** The questions that were offered after an answer, as it keeps them: a list as JSON text. */
export function promptsOf(text: string | null): string[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** The span of a conversation, so that nothing else of its flow is read for its file; with some room at both ends. */
export function daysOf(messages: readonly Pick<Message, 'createdDate'>[]): MessageFilter {
  const times = messages.map(({ createdDate }) => Date.parse(createdDate));
  const at = (time: number): string => new Date(time).toISOString();
  return { startDate: at(Math.min(...times) - 1000), endDate: at(Math.max(...times) + 1000) };
}
