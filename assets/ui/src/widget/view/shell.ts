import { styles } from '../styles';
import { h } from '../dom';
import type { BotOptions } from '../options';

let sheet: CSSStyleSheet | undefined;

/** The chat's own corner of a page: nothing of the page's style comes in, nothing of the chat's goes out. */
export function shell(host: HTMLElement, options: BotOptions, mode: 'bubble' | 'full'): HTMLElement {
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
  }
  const sheets = [sheet];
  if (options.theme?.customCSS) {
    const custom = new CSSStyleSheet();
    custom.replaceSync(options.theme.customCSS);
    sheets.push(custom);
  }
  shadow.adoptedStyleSheets = sheets;
  const direction = options.dir ?? (getComputedStyle(host).direction === 'rtl' ? 'rtl' : 'ltr');
  const root = h('div', {
    class: `fk ${mode}`,
    dir: direction,
    lang: (options.language ?? document.documentElement.lang) || undefined,
  });
  shadow.replaceChildren(root);
  return root;
}
