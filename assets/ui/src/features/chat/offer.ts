import type { UploadOffer } from '../../api/chat';
import type { Flow } from '../../api/models';
import { parseFlow } from '../../core/flowdata';

/** What may be sent along with a question, and what the chat page is told of the flow. */

export interface Offer {
  images: boolean;
  audio: boolean;
  documents: boolean;
  /** For the file picker. */
  accept: string;
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const AUDIO = ['audio/webm', 'audio/mp4', 'audio/ogg', 'audio/mpeg', 'audio/wav'];
const DOCUMENTS =
  '.txt,.md,.html,.css,.csv,.tsv,.json,.jsonl,.yaml,.yml,.xml,.sql,.pdf,.docx,.xlsx,.pptx,.xls,.ods,.epub';

export const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
export const FILE_BYTES_MAX = 25 * 1024 * 1024;
/** The largest question there is, files included. */
export const ALL_BYTES_MAX = 23 * 1024 * 1024;
export const FILES_MAX = 20;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `chatbotConfig`, which is JSON text of an object. */
function config(flow: Flow): Json {
  try {
    const read: unknown = JSON.parse(flow.chatbotConfig ?? '{}');
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Whether a card of the canvas takes images. */
function takesImages(flowData: string): boolean {
  const read = parseFlow(flowData);
  return (
    read.ok &&
    read.flow.nodes.some(({ data }) => {
      const on: unknown = isObject(data.inputs) ? data.inputs.allowImageUploads : false;
      return on === true || on === 'true';
    })
  );
}

/** What the flow offers; of the draft's cards when the draft is asked. */
export function offerOf(flow: Flow, live: UploadOffer | undefined, draft: string | null): Offer {
  const full = config(flow).fullFileUpload;
  const documents = isObject(full) && full.status === true;
  const types =
    isObject(full) && typeof full.allowedUploadFileTypes === 'string' ? full.allowedUploadFileTypes : '';
  const images = draft === null ? Boolean(live?.isImageUploadAllowed) : takesImages(draft);
  const audio = Boolean(live?.isSpeechToTextEnabled);
  const accept = [
    ...(images ? IMAGES : []),
    ...(audio ? AUDIO : []),
    ...(documents ? [types.trim() || DOCUMENTS] : []),
  ].join(',');
  return { images, audio, documents, accept };
}

export type Refusal = 'kind' | 'size' | 'count';

/** Why a file cannot be sent; what else is wrong with it the service says. */
export function refusal(
  file: { type: string; size: number },
  there: number,
  bytes: number,
  offer: Offer,
): Refusal | null {
  const kind = file.type.split('/')[0];
  const taken = kind === 'image' ? offer.images : kind === 'audio' ? offer.audio : offer.documents;
  if (!taken) return 'kind';
  if (file.size > (kind === 'image' ? IMAGE_BYTES_MAX : FILE_BYTES_MAX)) return 'size';
  if (bytes + file.size > ALL_BYTES_MAX) return 'size';
  return there >= FILES_MAX ? 'count' : null;
}

/** Questions offered before the first one: a list, or an object with numbers as keys. */
export function starterPrompts(flow: Flow): string[] {
  const stored = config(flow).starterPrompts;
  const list: unknown[] = Array.isArray(stored) ? stored : isObject(stored) ? Object.values(stored) : [];
  return list.flatMap((one) =>
    isObject(one) && typeof one.prompt === 'string' && one.prompt.trim() ? [one.prompt.trim()] : [],
  );
}

/** Whether there is anything that could answer. */
export function hasCards(flowData: string): boolean {
  const read = parseFlow(flowData);
  return (
    read.ok && read.flow.nodes.some((node) => node.type !== 'stickyNote' && node.data.name !== 'stickyNote')
  );
}
