import type { UploadKind, UploadOffer } from '../../api/chat';
import type { Flow } from '../../api/models';
import { parseFlow } from '../../core/flowdata';

/** What may be sent along with a question, and what the chat page is told of the flow. */

export interface Offer {
  images: boolean;
  audio: boolean;
  documents: boolean;
  /** How the names of files end that go into the vector store; `*` alone for all. */
  store: readonly string[];
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

/** The files that a vector store of the canvas takes: those its loaders read. */
function storeTakes(flowData: string): string[] {
  const read = parseFlow(flowData);
  const data = read.ok ? read.flow.nodes.map((node) => node.data) : [];
  const isOn = (inputs: unknown): boolean => {
    const on: unknown = isObject(inputs) ? inputs.fileUpload : false;
    return on === true || on === 'true';
  };
  if (!data.some(({ inputs }) => isOn(inputs))) return [];
  const types = data
    .filter(({ category }) => category === 'Document Loaders')
    .flatMap(({ inputParams }): unknown[] => (Array.isArray(inputParams) ? inputParams : []))
    .flatMap((param) =>
      isObject(param) && param.type === 'file' && typeof param.fileType === 'string'
        ? param.fileType.split(',').map((ending) => ending.trim())
        : [],
    );
  return types.includes('*') ? ['*'] : [...new Set(types)];
}

/** Whether a file goes with the question, or into the vector store before it. */
export function kindOf(file: { type: string; name: string }, offer: Offer): UploadKind {
  const kind = file.type.split('/')[0];
  const withQuestion =
    offer.documents || (kind === 'image' && offer.images) || (kind === 'audio' && offer.audio);
  return !withQuestion && intoStore(file.name, offer) ? 'file:rag' : 'file';
}

const intoStore = (name: string, { store }: Offer): boolean =>
  store.some((ending) => ending === '*' || name.toLowerCase().endsWith(ending));

/** What the flow offers; of the draft's cards when the draft is asked. */
export function offerOf(flow: Flow, live: UploadOffer | undefined, draft: string | null): Offer {
  const full = config(flow).fullFileUpload;
  const documents = isObject(full) && full.status === true;
  const types =
    isObject(full) && typeof full.allowedUploadFileTypes === 'string' ? full.allowedUploadFileTypes : '';
  const images = draft === null ? Boolean(live?.isImageUploadAllowed) : takesImages(draft);
  const audio = Boolean(live?.isSpeechToTextEnabled);
  const store =
    draft === null
      ? (live?.fileUploadSizeAndTypes ?? []).flatMap(({ fileTypes }) => fileTypes)
      : storeTakes(draft);
  const accept = [
    ...(images ? IMAGES : []),
    ...(audio ? AUDIO : []),
    ...(documents ? [types.trim() || DOCUMENTS] : []),
    ...store.map((ending) => (ending === '*' ? '*/*' : ending)),
  ].join(',');
  return { images, audio, documents, store, accept };
}

export type Refusal = 'kind' | 'size' | 'count';

/** Why a file cannot be sent; what else is wrong with it the service says. */
export function refusal(
  file: { type: string; size: number; name: string },
  there: number,
  bytes: number,
  offer: Offer,
): Refusal | null {
  const kind = file.type.split('/')[0];
  const stored = kindOf(file, offer) === 'file:rag';
  const taken =
    stored || (kind === 'image' ? offer.images : kind === 'audio' ? offer.audio : offer.documents);
  if (!taken) return 'kind';
  if (file.size > (kind === 'image' && !stored ? IMAGE_BYTES_MAX : FILE_BYTES_MAX)) return 'size';
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
