import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { address, api } from './client';
import type { Schemas } from './models';

export type Conversation = Schemas['Conversation'];
export type Message = Schemas['Message'];
export type Lead = Schemas['FlowLead'];

export type ChatType = Message['chatType'];
export type Rating = Schemas['Feedback']['rating'];

/** Which messages of a flow are meant. */
export interface MessageFilter {
  chatType?: ChatType[];
  feedbackType?: Rating[];
  startDate?: string;
  endDate?: string;
  chatId?: string;
  /** Words that all stand in a message. */
  text?: string;
}

const all = ['conversations'];

/** A conversation in a list of several flows. */
export type FlowConversation = Schemas['FlowConversation'];

/** Which conversations are meant; those of all flows where none is named. */
export interface ConversationFilter extends MessageFilter {
  flowId?: string;
  /** The version that answered. */
  versionId?: string;
  failed?: 'true';
  /** An answer was stopped before its end. */
  stopped?: 'true';
}

/** A page of conversations, the one that went on last first; behind `cursor`, where there is one. */
export const useConversations = (
  filter: ConversationFilter,
  cursor: string,
  limit: number,
  enabled: boolean,
) =>
  useQuery({
    queryKey: [...all, 'list', filter, cursor, limit],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/conversations', { query: { ...filter, limit, ...(cursor ? { cursor } : {}) } }),
  });

export type Counts = Schemas['FlowStats'];

/** How much there is of what a filter means, in all of these flows. */
export const useCounts = (flows: readonly string[], filter: MessageFilter) =>
  useQuery({
    queryKey: [...all, 'counts', flows, filter],
    enabled: flows.length > 0,
    queryFn: () =>
      Promise.all(flows.map((id) => api.get('/stats/{id}', { path: { id }, query: { ...filter } }))),
    select: sumOf,
  });

export function sumOf(each: readonly Counts[]): Counts {
  const sum = (of: (one: Counts) => number): number => each.reduce((count, one) => count + of(one), 0);
  return {
    totalMessages: sum((one) => one.totalMessages),
    totalSessions: sum((one) => one.totalSessions),
    totalFeedback: sum((one) => one.totalFeedback),
    positiveFeedback: sum((one) => one.positiveFeedback),
  };
}

/** What was said in a conversation, with how answers were rated. */
export const useMessages = (flow: string, chat: string) =>
  useQuery({
    queryKey: [...all, flow, 'messages', chat],
    queryFn: () =>
      api.get('/chatmessage/{id}', { path: { id: flow }, query: { chatId: chat, feedback: 'true' } }),
  });

const someLeads = (flowId: string | null, cursor: string, limit: number) =>
  api.get('/leads', { query: { ...(flowId ? { flowId } : {}), ...(cursor ? { cursor } : {}), limit } });

/** A page of what visitors of the chats of a flow left, or of all where none is named, the newest first. */
export const useLeads = (flowId: string | null, cursor: string, limit: number, enabled: boolean) =>
  useQuery({
    queryKey: [...all, 'leads', flowId, cursor, limit],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: () => someLeads(flowId, cursor, limit),
  });

/** All of it. */
export const everyLead = (flowId: string | null): Promise<Lead[]> =>
  everyPage(({ cursor = '' }) => someLeads(flowId, cursor, PAGE));

/** All of it, to be searched here: the service looks for no words in it. */
export const useEveryLead = (flowId: string | null, enabled: boolean) =>
  useQuery({ queryKey: [...all, 'leads', flowId], enabled, queryFn: () => everyLead(flowId) });

/** The most rows that the service gives at once. */
const PAGE = 100;

/** All rows of a list that goes on by a cursor. */
export async function everyPage<Row>(
  ask: (cursor: { cursor?: string }) => Promise<{ data: Row[]; nextCursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Row[]; nextCursor: string | null } = await ask(cursor === null ? {} : { cursor });
    for (const row of page.data) rows.push(row);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** How many conversations are meant, of whichever flows, and how many messages they have. */
export const useConversationCount = (filter: ConversationFilter) =>
  useQuery({
    queryKey: [...all, 'count', filter],
    queryFn: () => api.get('/conversations/count', { query: { ...filter } }),
  });

/** Deletes the whole conversations that are meant, also those of several flows; answers how many they were. */
export function useDeleteConversations() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (filter: ConversationFilter) => api.delete('/conversations', { query: { ...filter } }),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}

export type Transcript = Schemas['Transcript'];

/** Every conversation that is meant, not only those of a page. */
export const conversationsOf = (filter: ConversationFilter): Promise<FlowConversation[]> =>
  everyPage((cursor) => api.get('/conversations', { query: { ...filter, ...cursor, limit: PAGE } }));

/** Conversations of a flow as a file holds them. */
export const transcripts = (flow: string, { chatType, feedbackType, startDate, endDate }: MessageFilter) =>
  api.post('/export-import/chatflow-messages', {
    body: {
      chatflowId: flow,
      ...(chatType ? { chatType } : {}),
      ...(feedbackType ? { feedbackType } : {}),
      ...(startDate ? { startDate } : {}),
      ...(endDate ? { endDate } : {}),
    },
  });

/** The address of a file that was sent along with a message. */
export const fileAddress = (flow: string, chat: string, name: string): string =>
  address('/get-upload-file', { chatflowId: flow, chatId: chat, fileName: name });
