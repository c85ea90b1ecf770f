import type { Client } from './client';
import type { Upload } from './message';
import type { UploadRules } from './settings';
import { filled, type Texts } from './texts';

export const FILES_MAX = 10;
const DOCUMENT_MEGABYTES = 25;
const MEGABYTE = 1024 * 1024;

export interface PickedFile {
  file: File;
  type: Upload['type'];
}

/** Whether the flow takes files at all. */
export function takesFiles(rules: UploadRules): boolean {
  return rules.images.length > 0 || rules.documents || rules.store !== undefined;
}

/** What the file chooser offers. */
export function accepted(rules: UploadRules): string {
  if (rules.documents && rules.documentTypes.length === 0) return '';
  const documents = rules.documents ? rules.documentTypes : (rules.store?.types ?? []);
  return [...rules.images, ...documents].join(',');
}

/** How a file would go to the service, or the sentence that says why it does not. */
export function judge(file: File, rules: UploadRules, texts: Texts): PickedFile | string {
  const type = kind(file, rules);
  if (!type) return filled(texts.fileType, { name: file.name });
  const size = {
    file: rules.imageMegabytes,
    'file:full': DOCUMENT_MEGABYTES,
    'file:rag': rules.store?.megabytes ?? 0,
  }[type];
  if (file.size > size * MEGABYTE) return filled(texts.fileSize, { name: file.name, size });
  return { file, type };
}

function kind({ name, type }: File, rules: UploadRules): Upload['type'] | undefined {
  const { images, documents, documentTypes, store } = rules;
  if (images.includes(type)) return 'file';
  if (!documents && store) {
    const taken = [type, name.replace(/.*\./, '.')].some((one) => store.types.includes(one.toLowerCase()));
    return taken ? 'file:rag' : undefined;
  }
  if (!documents || /^(image|audio|video)\//.test(type)) return undefined;
  // Many systems do not know the type of a document; the service looks at the bytes.
  const taken = type === '' || documentTypes.length === 0 || documentTypes.includes(type.toLowerCase());
  return taken ? 'file:full' : undefined;
}

/** Makes the uploads of a question: images as they are, documents as their text, or stored where the flow finds them. */
export async function prepare(picked: PickedFile[], client: Client): Promise<Upload[]> {
  const of = (...types: Upload['type'][]): PickedFile[] => picked.filter(({ type }) => types.includes(type));
  const files = (type: Upload['type']): File[] => of(type).map(({ file }) => file);
  const [documents, stored] = [files('file:full'), files('file:rag')];
  if (stored.length > 0) await client.store(stored);
  const read = documents.length > 0 ? await client.attach(documents) : [];
  // Answers come in the order of the files; two of them may have the same name.
  if (read.length !== documents.length) throw new Error('attach');
  const whole = of('file', 'file:rag').map(async ({ file, type }) => upload(type, file, await dataUri(file)));
  return [
    ...(await Promise.all(whole)),
    ...documents.map((file, at) => upload('file:full', file, read[at]?.content)),
  ];
}

function upload(type: Upload['type'], file: File, data: string | undefined): Upload {
  return { type, name: file.name, mime: file.type, data };
}

function dataUri(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = reject;
    reader.readAsDataURL(file);
  });
}
