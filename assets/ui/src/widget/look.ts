import { computed, isColour, luminance, textOn } from './colour';
import type { BotOptions, Scheme } from './options';
import type { ButtonTheme, ChatWindowTheme, Theme } from './theme';

/** Sets the colours and sizes that were chosen; what was not chosen stays as the style sheet has it. */
export class Look {
  constructor(private readonly root: HTMLElement) {}

  apply(theme: Theme, look: ChatWindowTheme): void {
    const accent = [
      theme.button?.backgroundColor,
      look.userMessage?.backgroundColor,
      look.titleBackgroundColor,
    ];
    this.#pair('accent', accent.find(isColour), theme.button?.iconColor);
    const pairs: [string, unknown, unknown?][] = [
      ['head', look.titleBackgroundColor, look.titleTextColor],
      ['send', look.textInput?.sendButtonColor],
      ['panel', look.backgroundColor],
      ['tip', theme.tooltip?.tooltipBackgroundColor, theme.tooltip?.tooltipTextColor],
      ['agree', theme.disclaimer?.buttonColor, theme.disclaimer?.buttonTextColor],
      ['footer', look.footer?.textColor],
    ];
    for (const [name, background, text] of pairs) this.#pair(name, background, text);
    const { botMessage: bot, userMessage: user, textInput: input } = look;
    const boxes = { bot, user, input, form: theme.form, note: theme.disclaimer };
    for (const [name, box] of Object.entries(boxes)) this.#pair(name, box?.backgroundColor, box?.textColor);
    this.#length('size', look.fontSize);
    this.#length('height', look.height);
    this.#length('width', look.width);
  }

  /** Where the round button stands. */
  place(button: ButtonTheme): void {
    const sizes = { small: 40, medium: 52, large: 64 };
    const size = typeof button.size === 'number' ? Math.max(button.size, 24) : sizes[button.size ?? 'medium'];
    this.#length('button', size);
    this.#length('edge', button.right);
    this.#length('bottom', button.bottom);
  }

  /** Follows the scheme until the returned function is called. */
  follow(options: BotOptions, look: ChatWindowTheme): () => void {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const chosen = isColour(look.backgroundColor) ? computed(look.backgroundColor, this.root) : undefined;
    const set = (): void => {
      const own = chosen && (luminance(chosen) < 0.18 ? 'dark' : 'light');
      const scheme = resolve(options.colorScheme ?? 'page', own, query.matches);
      this.root.dataset.scheme = scheme;
      this.root.style.colorScheme = scheme;
    };
    set();
    query.addEventListener('change', set);
    return () => query.removeEventListener('change', set);
  }

  #pair(name: string, background: unknown, text: unknown): void {
    const known = isColour(background);
    if (known) this.#set(name, background);
    const rgb = known ? computed(background, this.root) : undefined;
    const readable = isColour(text) ? text : rgb && textOn(rgb);
    if (readable) this.#set(`on-${name}`, readable);
  }

  #length(name: string, value: unknown): void {
    const length = typeof value === 'number' ? `${value}px` : String(value);
    if (CSS.supports('width', length)) this.#set(name, length);
  }

  #set(name: string, value: string): void {
    this.root.style.setProperty(`--fk-${name}`, value);
  }
}

/** `page` follows the page: dark only where the page itself says that it can be dark. */
export function resolve(wanted: Scheme, own: 'light' | 'dark' | undefined, dark: boolean): 'light' | 'dark' {
  if (wanted === 'light' || wanted === 'dark') return wanted;
  if (own) return own;
  if (wanted === 'auto') return dark ? 'dark' : 'light';
  const meta = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content ?? '';
  const declared = `${getComputedStyle(document.documentElement).colorScheme} ${meta}`;
  const [canDark, canLight] = [/\bdark\b/.test(declared), /\blight\b/.test(declared)];
  return canDark && (dark || !canLight) ? 'dark' : 'light';
}
