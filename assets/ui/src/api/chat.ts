import { useQuery } from '@tanstack/react-query';
import { readStream } from '../core/sse';
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

export type TestQuestion = Pick<
  Schemas['Question'],
  | 'question'
  | 'form'
  | 'humanInput'
  | 'executionId'
  | 'fromNode'
  | 'iterationIndex'
  | 'chatId'
  | 'sessionToken'
  | 'uploads'
> & {
  source: 'draft' | 'live';
};

/** Asks the draft or Live in the canvas test chat; the answer is a stream, or JSON of a flow that cannot stream. */
export const askInTest = (flow: string, question: TestQuestion, signal: AbortSignal): Promise<Response> =>
  fetchRaw('post', '/internal-prediction/{id}', {
    path: { id: flow },
    body: { ...question, streaming: true },
    signal,
  });

/**
 * Asks, and waits no longer than until the conversation is known. The answer is read to its end all the same, because
 * leaving would end the run. Throws what the service refuses with.
 */
export async function beginInTest(
  flow: string,
  question: Omit<TestQuestion, 'source'>,
): Promise<{ chatId: string | null; failed: Promise<string | null> }> {
  const response = await fetchRaw('post', '/internal-prediction/{id}', {
    path: { id: flow },
    body: { ...question, streaming: true },
  });
  return { chatId: response.headers.get('x-service-chat-id'), failed: failureIn(response) };
}

/** The sentence that an answer failed with, if it did. */
async function failureIn({ body }: Response): Promise<string | null> {
  let failed: string | null = null;
  try {
    if (body)
      for await (const { event, data } of readStream(body)) if (event === 'error') failed = sentenceOf(data);
  } catch {
    // The stream broke off; what became of the run its record says.
  }
  return failed;
}

const sentenceOf = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'message' in data ? String(data.message) : String(data);

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
