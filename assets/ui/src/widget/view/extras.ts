import { h, icon } from '../dom';
import { link, safeLink } from '../markdown/inline';
import type { Message, SourceDocument, UsedTool } from '../message';
import { filled, type Texts } from '../texts';

const SHOWN_MAX = 4000;

/** What folds away under an answer: reasoning, tools, sources. */
export function extras(message: Message, texts: Texts, sourcesTitle: string | undefined): Node[] {
  const found: Node[] = [];
  if (message.thinking)
    found.push(folded('spark', texts.thinking, [h('p', { class: 'pre' }, cut(message.thinking))]));
  if (message.usedTools?.length) {
    const shown = message.usedTools.map((used) => tool(used, texts));
    const names = [...new Set(message.usedTools.map(({ tool: name }) => name))].join(', ');
    found.push(folded('spark', `${texts.tools}: ${names}`, shown));
  }
  if (message.sourceDocuments?.length) {
    const items = message.sourceDocuments
      .slice(0, 50)
      .map((source, at) => h('li', {}, document_(source, at, texts)));
    const title = sourcesTitle ?? texts.sources;
    found.push(folded('file', `${title} (${items.length})`, [h('ol', { class: 'sources' }, ...items)]));
  }
  return found;
}

function folded(name: 'file' | 'spark', title: string, inner: Node[]): HTMLElement {
  return h(
    'details',
    { class: 'fold' },
    h('summary', {}, icon(name), h('span', {}, title), icon('chevron')),
    h('div', { class: 'fold-body' }, ...inner),
  );
}

function cut(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function asText(value: unknown): string {
  return cut(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
}

function tool(used: UsedTool, texts: Texts): HTMLElement {
  const output = used.error ?? used.toolOutput;
  return h(
    'div',
    { class: 'tool' },
    h('strong', {}, used.tool),
    ...labelled(texts.toolInput, used.toolInput),
    ...labelled(texts.toolOutput, output),
  );
}

function labelled(label: string, value: unknown): Node[] {
  const text = value === undefined || value === null ? '' : asText(value);
  if (text === '' || text === '{}') return [];
  return [h('span', { class: 'muted' }, label), h('pre', { tabindex: 0, dir: 'auto' }, text)];
}

function document_(source: SourceDocument, at: number, texts: Texts): HTMLElement {
  const { metadata } = source;
  const named = [metadata.title, metadata.fileName, metadata.source].find(
    (value) => typeof value === 'string' && value !== '',
  );
  const label = typeof named === 'string' ? named : filled(texts.source, { number: at + 1 });
  const href = [metadata.url, metadata.source].flatMap((value) =>
    typeof value === 'string' ? (safeLink(value) ?? []) : [],
  )[0];
  const body = h('p', { class: 'pre', dir: 'auto' }, cut(source.pageContent));
  const title = href ? link(href, [label]) : h('strong', { dir: 'auto' }, label);
  return h('div', { class: 'source' }, title, body);
}
