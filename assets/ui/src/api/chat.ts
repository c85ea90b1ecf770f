import { useQuery } from '@tanstack/react-query';
import { api, fetchRaw, part } from './client';
import type { Schemas } from './models';

export interface ChatUpload {
  type: 'file';
  name: string;
  mime: string;
  /** A data URI. */
  data: string;
}

export interface TestQuestion {
  question: string;
  chatId?: string;
  source: 'draft' | 'live';
  uploads?: ChatUpload[];
}

/** Asks the draft or Live in the canvas test chat; the answer is a stream, or JSON of a flow that cannot stream. */
export const askInTest = (flow: string, question: TestQuestion, signal: AbortSignal): Promise<Response> =>
  fetchRaw('POST', `/internal-prediction/${part(flow)}`, {
    body: { ...question, streaming: true },
    signal,
  });

/** Asks the service to stop an answer; the stream then ends by itself. */
export const stopAnswer = (flow: string, chat: string) =>
  api.put(`/chatmessage/abort/${part(flow)}/${part(chat)}`, undefined, { quiet: true });

export type UploadOffer = Schemas['UploadOffer'];

/** What the chat of a flow takes besides text, as Live is. */
export const useUploadOffer = (flow: string) =>
  useQuery({
    queryKey: ['uploads', flow],
    queryFn: () => api.get<UploadOffer>(`/chatflows-uploads/${part(flow)}`),
  });
