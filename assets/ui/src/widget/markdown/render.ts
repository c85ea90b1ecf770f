import { copyButton, h } from '../dom';
import { blocks, type Block } from './blocks';
import { inline, type MarkdownOptions } from './inline';

export interface RenderOptions extends MarkdownOptions {
  /** Name of the button that copies code. */
  copyLabel: string;
}

/** Shows a text that grows: pieces that did not change keep their nodes. */
export class MarkdownView {
  readonly element = h('div', { class: 'md' });
  #shown: { source: string; node: Node }[] = [];

  constructor(private readonly options: RenderOptions) {}

  update(text: string): void {
    const wanted = blocks(text);
    wanted.forEach((block, index) => {
      const shown = this.#shown[index];
      if (shown?.source === block.source) return;
      const node = render(block, this.options);
      if (shown) this.element.replaceChild(node, shown.node);
      else this.element.append(node);
      this.#shown[index] = { source: block.source, node };
    });
    for (const { node } of this.#shown.splice(wanted.length)) this.element.removeChild(node);
  }
}

/** The little HTML that page authors write into notices, as markdown: links, line ends and emphasis. */
export function fromHtml(html: string): string {
  return html
    .replace(/<a\s[^>]*?href=["']?([^"'\s>]+)[^>]*>(.*?)<\/a>/gi, '[$2]($1)')
    .replace(/<\/?(?:b|strong)>/gi, '**')
    .replace(/<(?:br|\/p|\/h\d|\/div|\/li)\b[^>]*>/gi, '\n')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .trim();
}

/** The whole of a text, as nodes. */
export function renderMarkdown(text: string, options: RenderOptions): HTMLElement {
  const view = new MarkdownView(options);
  view.update(text);
  return view.element;
}

function render(block: Block, options: RenderOptions): Node {
  switch (block.kind) {
    case 'paragraph':
      return filled(h('p', { dir: 'auto' }), inline(block.text, options));
    case 'heading': {
      // The page has its own first levels.
      const tag = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(block.level, 4) - 1] ?? 'h6';
      return filled(h(tag, { dir: 'auto' }), inline(block.text, options));
    }
    case 'code':
      return code(block.text, block.language, options);
    case 'quote':
      return filled(
        h('blockquote', { dir: 'auto' }),
        block.blocks.map((inner) => render(inner, options)),
      );
    case 'list':
      return list(block, options);
    case 'table':
      return table(block, options);
    case 'rule':
      return h('hr');
  }
}

function filled<T extends Element>(element: T, nodes: Node[]): T {
  element.append(...nodes);
  return element;
}

function list(block: Block & { kind: 'list' }, options: RenderOptions): Node {
  const start = block.ordered && block.start !== 1 ? block.start : undefined;
  const element = h(block.ordered ? 'ol' : 'ul', { start, dir: 'auto' });
  for (const item of block.items) {
    const [only] = item;
    const tight = item.length === 1 && only?.kind === 'paragraph';
    const nodes = tight ? inline(only.text, options) : item.map((inner) => render(inner, options));
    element.append(filled(h('li'), nodes));
  }
  return element;
}

function table(block: Block & { kind: 'table' }, options: RenderOptions): Node {
  const rows = block.rows.map((row, at) => {
    const made = row.map((cell, column) =>
      filled(
        h(at === 0 ? 'th' : 'td', {
          class: `a-${block.align[column] ?? 'start'}`,
          scope: at === 0 ? 'col' : undefined,
        }),
        inline(cell, options),
      ),
    );
    return filled(h('tr'), made);
  });
  const body = h('table', {}, filled(h('thead'), rows.slice(0, 1)), filled(h('tbody'), rows.slice(1)));
  return h('div', { class: 'scroll', tabindex: 0, role: 'group' }, body);
}

function code(text: string, language: string, options: RenderOptions): Node {
  const label = h('span', { class: 'lang' }, language);
  const body = h('pre', { tabindex: 0, dir: 'ltr' }, h('code', {}, text));
  return h(
    'div',
    { class: 'code' },
    h('div', { class: 'code-head' }, label, copyButton(text, options.copyLabel)),
    body,
  );
}
