import { useQuery } from '@tanstack/react-query';
import { api, fetchRaw } from './client';
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

export type TestQuestion = Pick<Schemas['Question'], 'question' | 'chatId' | 'sessionToken' | 'uploads'> & {
  source: 'draft' | 'live';
};

/** Asks the draft or Live in the canvas test chat; the answer is a stream, or JSON of a flow that cannot stream. */
export const askInTest = (flow: string, question: TestQuestion, signal: AbortSignal): Promise<Response> =>
  fetchRaw('post', '/internal-prediction/{id}', {
    path: { id: flow },
    body: { ...question, streaming: true },
    signal,
  });

/** Puts files of a conversation, or of a new one, into the vector store that the flow answers from. */
export function storeInTest(
  flow: string,
  files: readonly ChatUpload[],
  { chatId, source }: { chatId: string | null; source: TestQuestion['source'] },
  signal: AbortSignal,
) {
  const form = new FormData();
  form.append('chatId', chatId ?? '');
  form.append('source', source);
  for (const file of files) form.append('files', blobOf(file), file.name);
  return api.post('/vector/internal-upsert/{id}', { path: { id: flow }, body: form, signal });
}

function blobOf({ data, mime }: ChatUpload): Blob {
  const bytes = atob(data.slice(data.indexOf(',') + 1));
  return new Blob([Uint8Array.from(bytes, (one) => one.charCodeAt(0))], { type: mime });
}

/** Asks the service to stop an answer; the stream then ends by itself. */
export const stopAnswer = (flow: string, chat: string) =>
  api.put('/chatmessage/abort/{flow}/{chat}', { path: { flow, chat }, quiet: true });

export type UploadOffer = Schemas['UploadOffer'];

/** What the chat of a flow takes besides text, as Live is. */
export const useUploadOffer = (flow: string) =>
  useQuery({
    queryKey: ['uploads', flow],
    queryFn: () => api.get('/chatflows-uploads/{id}', { path: { id: flow } }),
  });
