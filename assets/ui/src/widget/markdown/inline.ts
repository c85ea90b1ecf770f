import { h } from '../dom';

/** Who may be shown as an image: the service's own origin, and data in the text itself. */
export interface MarkdownOptions {
  ownOrigin: string;
}

const OPENERS_MAX = 64;
const DESTINATION = /\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y;
const ADDRESS = /https?:\/\/[^\s<>"'`|]{1,2000}/y;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z0-9+/=]+$/i;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** An address that may become a link; anything but web and mail stays text. */
export function safeLink(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

function safeImage(address: string, { ownOrigin }: MarkdownOptions): string | undefined {
  if (DATA_IMAGE.test(address)) return address;
  try {
    const url = new URL(address, ownOrigin);
    return url.origin === ownOrigin && /^https?:$/.test(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A link that opens beside the page and tells it nothing. */
export function link(href: string, children: (Node | string)[]): HTMLAnchorElement {
  const anchor = h('a', { href, target: '_blank', rel: 'noopener noreferrer' });
  anchor.append(...children);
  return anchor;
}

interface Opener {
  kind: string;
  length: number;
  node: Text;
}

/** Text with emphasis, code, links and images as nodes. Takes time in proportion to the text. */
export function inline(text: string, options: MarkdownOptions): Node[] {
  return new Inline(text, options).run();
}

class Inline {
  #items: Node[] = [];
  #openers: Opener[] = [];
  #plain = '';
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly options: MarkdownOptions,
  ) {}

  run(): Node[] {
    while (this.#at < this.text.length) this.#step(this.text[this.#at] ?? '');
    this.#flush();
    return this.#items;
  }

  #step(char: string): void {
    const next = this.text[this.#at + 1] ?? '';
    if (char === '\\' && PUNCTUATION.test(next)) this.#take(2, next);
    else if (char === '\n') this.#break();
    else if (char === '`') this.#code();
    else if (char === '*' || char === '_') this.#emphasis(char);
    else if (char === '!' && next === '[') this.#open('!', '![');
    else if (char === '[') this.#open('[', '[');
    else if (char === ']') this.#close();
    else if (!this.#address(char)) this.#take(1, char);
  }

  #take(length: number, plain: string): void {
    this.#plain += plain;
    this.#at += length;
  }

  #push(...nodes: Node[]): void {
    this.#flush();
    this.#items.push(...nodes);
  }

  #flush(): void {
    if (this.#plain) this.#items.push(document.createTextNode(this.#plain));
    this.#plain = '';
  }

  #break(): void {
    this.#plain = this.#plain.trimEnd();
    if (this.#plain.endsWith('\\')) this.#plain = this.#plain.slice(0, -1);
    this.#push(h('br'));
    this.#at += 1;
  }

  #run(char: string): number {
    let end = this.#at;
    while (this.text[end] === char) end += 1;
    return end - this.#at;
  }

  #code(): void {
    const length = this.#run('`');
    const fence = '`'.repeat(length);
    const from = this.#at + length;
    // A run of marks has no end beyond the paragraph; long lone runs are text.
    let end = length <= 8 ? this.text.indexOf(fence, from) : -1;
    while (end >= 0 && this.text[end + length] === '`') {
      let past = end + length;
      while (this.text[past] === '`') past += 1;
      end = this.text.indexOf(fence, past);
    }
    if (end < 0) {
      this.#take(length, fence);
      return;
    }
    const code = this.text.slice(from, end).replaceAll('\n', ' ');
    const padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
    this.#push(h('code', {}, padded ? code.slice(1, -1) : code));
    this.#at = end + length;
  }

  #emphasis(char: string): void {
    const length = this.#run(char);
    const before = this.text[this.#at - 1] ?? ' ';
    const after = this.text[this.#at + length] ?? ' ';
    const inWord = char === '_' && /\w/.test(before) && /\w/.test(after);
    this.#flush();
    this.#at += length;
    let left = length;
    if (!/\s/.test(before) && !inWord) {
      for (let used = this.#wrap(char, left); used > 0; used = this.#wrap(char, left)) {
        left -= used;
        if (left === 0) return;
      }
    }
    if (/\s/.test(after) || inWord) this.#plain += char.repeat(left);
    else this.#opener(char, left, char.repeat(left));
  }

  #opener(kind: string, length: number, shown: string): void {
    this.#flush();
    const node = document.createTextNode(shown);
    this.#items.push(node);
    this.#openers.push({ kind, length, node });
    if (this.#openers.length > OPENERS_MAX) this.#openers.shift();
  }

  /** Wraps what stands after the nearest opener of this kind; says how many marks that used. */
  #wrap(char: string, left: number): number {
    const index = this.#openers.findLastIndex((opener) => opener.kind === char);
    const opener = this.#openers[index];
    if (!opener) return 0;
    const from = this.#items.lastIndexOf(opener.node) + 1;
    if (from === this.#items.length) return 0;
    const used = left >= 2 && opener.length >= 2 ? 2 : 1;
    const element = h(used === 2 ? 'strong' : 'em');
    element.append(...this.#items.splice(from));
    this.#openers.length = index + 1;
    opener.length -= used;
    opener.node.data = char.repeat(opener.length);
    if (opener.length === 0) {
      this.#openers.pop();
      this.#items.pop();
    }
    this.#items.push(element);
    return used;
  }

  #open(kind: string, shown: string): void {
    this.#at += shown.length;
    this.#opener(kind, 1, shown);
  }

  #close(): void {
    const index = this.#openers.findLastIndex(({ kind }) => kind === '[' || kind === '!');
    const opener = this.#openers[index];
    DESTINATION.lastIndex = this.#at + 1;
    const found = opener && DESTINATION.exec(this.text);
    if (!opener || !found) {
      if (opener) this.#openers.splice(index, 1);
      this.#take(1, ']');
      return;
    }
    this.#flush();
    const inner = this.#items.splice(this.#items.lastIndexOf(opener.node) + 1);
    this.#items.pop();
    this.#openers.length = index;
    this.#at += 1 + found[0].length;
    const address = (found[1] ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
    const label = inner.map((node) => node.textContent ?? '').join('');
    if (opener.kind === '!') this.#image(address, label);
    else {
      // A link holds no link.
      this.#openers = this.#openers.filter(({ kind }) => kind !== '[');
      const href = safeLink(address);
      this.#items.push(...(href ? [link(href, inner)] : inner));
    }
  }

  #image(address: string, label: string): void {
    const source = safeImage(address, this.options);
    const href = safeLink(address);
    if (source) this.#items.push(h('img', { src: source, alt: label, loading: 'lazy' }));
    else if (href) this.#items.push(link(href, [label || href]));
    else this.#plain += label;
  }

  /** An address that stands in the text by itself. */
  #address(char: string): boolean {
    ADDRESS.lastIndex = this.#at;
    const found = char === 'h' && !/\w/.test(this.text[this.#at - 1] ?? ' ') && ADDRESS.exec(this.text);
    if (!found) return false;
    const shown = found[0].replace(/[.,;:!?*_~\])]+$/, (tail) =>
      tail.startsWith(')') && found[0].includes('(') ? ')' : '',
    );
    const href = safeLink(shown);
    if (!href) return false;
    this.#push(link(href, [shown]));
    this.#at += shown.length;
    return true;
  }
}
