import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { address, api } from './client';
import type { Schemas } from './models';

export type Conversation = Schemas['Conversation'];
export type Message = Schemas['Message'];
export type Lead = Schemas['Lead'];

export type ChatType = Message['chatType'];
export type Rating = Schemas['Feedback']['rating'];

/** Which messages of a flow are meant. */
export interface MessageFilter {
  chatType?: ChatType[];
  feedbackType?: Rating[];
  startDate?: string;
  endDate?: string;
  chatId?: string;
}

const all = ['conversations'];

/** A page of the conversations of a flow, the one that went on last first. */
export const useConversations = (flow: string, filter: MessageFilter, page: number, limit: number) =>
  useQuery({
    queryKey: [...all, flow, filter, page],
    enabled: flow !== '',
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/conversations/{id}', { path: { id: flow }, query: { ...filter, page, limit } }),
  });

/** How much there is of what a filter means. */
export const useCounts = (flow: string, filter: MessageFilter, enabled = true) =>
  useQuery({
    queryKey: [...all, flow, 'counts', filter],
    enabled: enabled && flow !== '',
    queryFn: () => api.get('/stats/{id}', { path: { id: flow }, query: { ...filter } }),
  });

/** What was said in a conversation, with how answers were rated. */
export const useMessages = (flow: string, chat: string) =>
  useQuery({
    queryKey: [...all, flow, 'messages', chat],
    queryFn: () =>
      api.get('/chatmessage/{id}', { path: { id: flow }, query: { chatId: chat, feedback: 'true' } }),
  });

/** What visitors of its chat left. */
export const leadsOf = (flow: string) => api.get('/leads/{id}', { path: { id: flow } });

export function useDeleteMessages(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (filter: MessageFilter) =>
      api.delete('/chatmessage/{id}', { path: { id: flow }, query: { ...filter } }),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}

export type Transcript = Schemas['Transcript'];

/** Conversations as a file holds them. */
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
