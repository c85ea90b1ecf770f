export type Child = Node | string | false | null | undefined;
type Listener = (event: never) => void;
export type Props = Record<string, string | number | boolean | Listener | undefined>;

/** Makes an element. Text is always text; a key that starts with `on` is a listener. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: ParentNode, children: Child[]): void {
  parent.append(...children.filter((child) => child !== false && child !== null && child !== undefined));
}

/** Shapes of the icons: strokes on a 24 grid. */
const SHAPES = {
  chat: 'M6 5h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4V17a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  attach: 'M20 12l-8 8a5 5 0 0 1-7-7l8-8a3 3 0 0 1 5 4l-8 8a2 2 0 0 1-3-2l7-7',
  up: 'M7 11v9H4v-9zl4-7a2 2 0 0 1 2 2v4h5a2 2 0 0 1 2 2l-1 6a2 2 0 0 1-2 2H7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  done: 'M5 12l5 5 9-9',
  fresh: 'M12 5v14M5 12h14',
  chevron: 'M6 9l6 6 6-6',
  file: 'M14 3H6v18h12V7zM14 3v4h4',
  spark: 'M12 3l2.5 6.5L21 12l-6.5 2.5L12 21l-2.5-6.5L3 12l6.5-2.5z',
  alert: 'M12 8v5M12 16v.1M12 3a9 9 0 1 0 .1 0z',
} as const;

export type IconName = keyof typeof SHAPES;
const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `icon i-${name}`);
  path.setAttribute('d', SHAPES[name]);
  svg.appendChild(path);
  return svg;
}

/** A picture chosen by the page or the flow; when it cannot be shown, the icon is. */
export function picture(source: string | undefined, name: IconName, className: string): HTMLElement {
  const box = h('span', { class: className, 'aria-hidden': 'true' });
  if (!source) box.append(icon(name));
  else {
    const onerror = (): void => image.replaceWith(icon(name));
    const image = h('img', { src: source, alt: '', referrerpolicy: 'no-referrer', onerror });
    box.append(image);
  }
  return box;
}

/** A button that shows an icon only; its name is required. */
export function iconButton(
  name: IconName,
  label: string,
  onclick?: () => void,
  more: Props = {},
): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'ib', 'aria-label': label, title: label, onclick, ...more },
    icon(name),
  );
}

/** A button with a word on it. */
export function button(label: string, onclick: () => void, more = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: `button ${more}`, onclick }, label);
}

/** Three dots that move while something is awaited. */
export function dots(...more: Child[]): HTMLElement {
  return h('div', { class: 'dots' }, h('i'), h('i'), h('i'), ...more);
}

/** A button that copies a text and shows that it did. */
export function copyButton(text: string, label: string): HTMLButtonElement {
  const button = iconButton('copy', label, () => {
    void navigator.clipboard?.writeText(text).then(() => {
      button.replaceChildren(icon('done'));
      setTimeout(() => button.replaceChildren(icon('copy')), 1500);
    });
  });
  return button;
}
