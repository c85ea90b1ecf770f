import type { CardParam } from '../../../api/cards';

/** A value as the text of a field. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export const asBoolean = (value: unknown): boolean => value === true || value === 'true';

/** Several choices, which Flowise keeps as the JSON text of a list. */
export function asChoices(value: unknown): string[] {
  let read: unknown = value;
  if (typeof value === 'string' && value.trim() !== '') {
    try {
      read = JSON.parse(value);
    } catch {
      read = value.split(',');
    }
  }
  return Array.isArray(read) ? read.map(String) : [];
}

export const configName = (param: CardParam): string => `${param.name}Config`;

/** The name of a stored file, or of one that is about to be stored. */
export function fileNames(value: unknown): string[] {
  if (typeof value !== 'string' || value === '') return [];
  if (value.startsWith('FILE-STORAGE::')) return asChoicesOr(value.slice('FILE-STORAGE::'.length));
  return asChoicesOr(value).map((one) => /,filename:(.*)$/.exec(one)?.[1] ?? one.slice(0, 40));
}

const asChoicesOr = (text: string): string[] => (text.startsWith('[') ? asChoices(text) : [text]);

/** A file as the service takes it inside of a canvas. */
export function fileUri(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(`${String(reader.result)},filename:${file.name}`);
    reader.onerror = () => fail(reader.error ?? new Error('The file was not read.'));
    reader.readAsDataURL(file);
  });
}
