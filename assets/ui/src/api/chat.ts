import { useQuery } from '@tanstack/react-query';
import { api, fetchRaw, part } from './client';
import type { Schemas } from './models';

export interface ChatUpload {
  type: UploadKind;
  name: string;
  mime: string;
  /** A data URI. */
  data: string;
}

/** With the question, or into the vector store before it. */
export type UploadKind = 'file' | 'file:rag';

/** A conversation that files were sent in, with its proof. */
export interface Begun {
  chatId: string;
  sessionToken: string;
}

export interface TestQuestion extends Partial<Begun> {
  question: string;
  source: 'draft' | 'live';
  uploads?: ChatUpload[];
}

/** Asks the draft or Live in the canvas test chat; the answer is a stream, or JSON of a flow that cannot stream. */
export const askInTest = (flow: string, question: TestQuestion, signal: AbortSignal): Promise<Response> =>
  fetchRaw('POST', `/internal-prediction/${part(flow)}`, {
    body: { ...question, streaming: true },
    signal,
  });

/** Puts files of a conversation, or of a new one, into the vector store that the flow answers from. */
export function storeInTest(
  flow: string,
  files: readonly ChatUpload[],
  { chatId, source }: { chatId: string | null; source: TestQuestion['source'] },
  signal: AbortSignal,
): Promise<Begun> {
  const form = new FormData();
  form.append('chatId', chatId ?? '');
  form.append('source', source);
  for (const file of files) form.append('files', blobOf(file), file.name);
  return api.post<Begun>(`/vector/internal-upsert/${part(flow)}`, form, { signal });
}

function blobOf({ data, mime }: ChatUpload): Blob {
  const bytes = atob(data.slice(data.indexOf(',') + 1));
  return new Blob([Uint8Array.from(bytes, (one) => one.charCodeAt(0))], { type: mime });
}

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
