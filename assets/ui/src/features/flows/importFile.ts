import { isObject } from '../../core/nodes';
import { t } from './words';

/** Files that are taken in; the apps of Dify are YAML. */
export const IMPORT_FILES = '.json,.yml,.yaml,application/json,application/yaml';

/** What is sent of a file: its JSON, or its text where it is no JSON, which the service reads. */
export function readImportFile(name: string, text: string): Record<string, unknown> {
  if (/\.ya?ml$/i.test(name)) return { text };
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error(t('flows.problem.not-json'));
  }
  if (isObject(read)) return read;
  throw new Error(t('flows.problem.not-object'));
}
