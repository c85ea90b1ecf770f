import type { Json } from '../../core/nodes';

/** What people have, and the card that reads it. */
export const kinds = ['file', 'folder', 'page', 'site', 'plain', 'api', 'other'] as const;
export type Kind = (typeof kinds)[number];

export const CARDS: Record<Kind, string> = {
  file: 'fileLoader',
  folder: 'folderFiles',
  page: 'cheerioWebScraper',
  site: 'cheerioWebScraper',
  plain: 'plainText',
  api: 'apiLoader',
  other: '',
};

/** What cuts a text unless somebody says otherwise. */
export const SPLITTER = 'recursiveCharacterTextSplitter';

/** Inputs of loaders that are asked for beside them. */
export const NOT_ASKED: readonly string[] = ['textSplitter'];

/** Whether a card reads what lies here: then it may be read with every change of how it is cut. */
export const isLocal = (card: string): boolean =>
  card === CARDS.plain || card === CARDS.folder || /File$|^file|^microsoft/.test(card);

/** How the card of a kind is set at first. */
export const firstValues = (kind: Kind): Json =>
  kind === 'site' ? { relativeLinksMethod: 'webCrawl', limit: 10 } : {};

/** What a document is called by where it comes from. */
export function nameFor(values: Json): string {
  const { url, folderPath, text } = values;
  const found = [url, folderPath, text].find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof found === 'string' ? (found.trim().split('\n')[0] ?? '').slice(0, 80) : '';
}
