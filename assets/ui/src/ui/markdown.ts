import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { isOwnAddress } from '../core/address';

/** Turns the markdown of an answer into nodes. A model's words are not to be trusted: only these tags get through. */

const TAGS = (
  'a b blockquote br code del details em h3 h4 h5 h6 hr i img ins kbd li mark ol p pre s samp span strong sub ' +
  'summary sup table tbody td th thead tr u ul'
).split(' ');
const ATTRIBUTES = ['align', 'alt', 'colspan', 'href', 'open', 'rowspan', 'src', 'start', 'title'];

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // The page and the panel have headings of their own: those of an answer stand below them.
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
  },
});

const purify = DOMPurify();

/** Where a link of an answer may lead; from one that names no scheme, only into the page. */
const LINK = /^(?:https?|mailto|tel):/i;
/** Images inside the text need no server. */
const DATA_IMAGE = /^(?:data:image\/(?:png|jpeg|gif|webp);|blob:)/i;

/** Paths from the root and places of the page; others mean nothing here. */
const isOwn = (address: string): boolean => /^[/#]/.test(address) && isOwnAddress(address);

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    const href = node.getAttribute('href') ?? '';
    if (!LINK.test(href) && !isOwn(href)) node.removeAttribute('href');
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  if (['PRE', 'TABLE'].includes(node.nodeName)) node.setAttribute('tabindex', '0');
});

/** The nodes of an answer, fit to be put into the page. */
export function markdown(text: string): DocumentFragment {
  const html = marked.parse(text, { async: false });
  const fragment = purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const image of fragment.querySelectorAll('img')) withoutRemote(image);
  return fragment;
}

/** An image from elsewhere would tell its server who reads: it is shown as a link. */
function withoutRemote(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? '';
  if (DATA_IMAGE.test(source) || isOwn(source)) return;
  const words = image.getAttribute('alt') || source;
  if (!/^https?:/i.test(source) || image.closest('a')) {
    image.replaceWith(words);
    return;
  }
  const link = document.createElement('a');
  link.setAttribute('href', source);
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer');
  link.textContent = words;
  image.replaceWith(link);
}
