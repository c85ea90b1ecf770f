import { h, icon, picture } from '../dom';
import { Look } from '../look';
import type { BotOptions } from '../options';
import type { ButtonTheme } from '../theme';
import { texts, type Texts } from '../texts';
import { Chat } from './chat';
import { shell } from './shell';

const SMALL = '(max-width: 639px)';

/** The round button at the corner of a page, and the chat it opens. */
export class Bubble {
  readonly host = document.createElement('flowkeep-chat');
  readonly #root: HTMLElement;
  readonly #panel: HTMLDialogElement;
  readonly #button: HTMLButtonElement;
  readonly #texts: Texts;
  readonly #theme: ButtonTheme;
  #chat: Chat;
  #tip: HTMLElement | undefined;
  #timer = 0;
  #loaded = false;

  constructor(private readonly options: BotOptions) {
    document.body.append(this.host);
    this.#texts = texts(options.texts, options.language);
    this.#theme = options.theme?.button ?? {};
    this.#root = shell(this.host, options, 'bubble');
    const face = h(
      'span',
      { class: 'launch-face' },
      this.#theme.customIconSrc ? picture(this.#theme.customIconSrc, 'chat', 'custom-icon') : icon('chat'),
      icon('chevron'),
    );
    this.#button = h(
      'button',
      {
        type: 'button',
        class: 'launch',
        'aria-expanded': 'false',
        'aria-haspopup': 'dialog',
        onclick: () => this.toggle(),
      },
      face,
    );
    this.#panel = h('dialog', { class: 'panel' });
    new Look(this.#root).place(this.#theme);
    this.#chat = new Chat(this.#root, options, () => this.#panel.close());
    this.#panel.append(this.#chat.element);
    this.#panel.addEventListener('close', () => this.#closed());
    this.#panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.#panel.close());
    this.#root.append(this.#button, this.#panel);
    this.#name();
    this.#tooltip();
    this.#openByItself();
  }

  toggle(): void {
    if (this.#panel.open) this.#panel.close();
    else this.open();
  }

  open(withFocus = true): void {
    this.#tip?.remove();
    // A chat that covers the page keeps the focus; one that stands beside it leaves the page usable.
    if (matchMedia(SMALL).matches) this.#panel.showModal();
    else this.#panel.show();
    this.#name();
    if (!this.#loaded) {
      this.#loaded = true;
      void this.#chat.load().then(() => {
        this.#name();
        if (this.#focused()) this.#chat.focus();
      });
    }
    if (withFocus) this.#chat.focus();
  }

  clear(): void {
    if (this.#loaded) this.#chat.clear();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#chat.destroy();
    this.host.remove();
  }

  #closed(): void {
    this.#name();
    // Nobody's focus is taken when the person is already elsewhere on the page.
    if (document.activeElement === document.body || document.activeElement === this.host)
      this.#button.focus();
  }

  #focused(): boolean {
    return this.#panel.contains(this.host.shadowRoot?.activeElement ?? null);
  }

  #name(): void {
    const { open } = this.#panel;
    this.#root.classList.toggle('open', open);
    this.#button.ariaLabel = open ? this.#texts.close : this.#texts.open;
    this.#button.ariaExpanded = String(open);
    this.#panel.ariaLabel = this.#chat.title;
  }

  #tooltip(): void {
    const { showTooltip, tooltipMessage } = this.options.theme?.tooltip ?? {};
    if (!showTooltip || !tooltipMessage) return;
    this.#tip = h('div', { class: 'tip', dir: 'auto' }, tooltipMessage);
    this.#root.append(this.#tip);
  }

  #openByItself(): void {
    const { autoOpen, openDelay = 2, autoOpenOnMobile } = this.#theme.autoWindowOpen ?? {};
    if (!autoOpen || (matchMedia(SMALL).matches && !autoOpenOnMobile)) return;
    // What opens by itself must not take the focus from what the person does.
    this.#timer = window.setTimeout(() => !this.#panel.open && this.open(false), openDelay * 1000);
  }
}
