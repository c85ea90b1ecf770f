import type { BotOptions } from '../options';
import { Chat } from './chat';
import { shell } from './shell';
import { h } from '../dom';

/** The chat filling an element, by default the whole page. */
export class Full {
  readonly #chat: Chat;

  constructor(
    readonly host: HTMLElement,
    options: BotOptions,
    gate?: () => Promise<void>,
  ) {
    const root = shell(host, options, 'full');
    this.#chat = new Chat(root, options, undefined, gate);
    root.append(h('main', { class: 'page' }, this.#chat.element));
    void this.#chat.load().then(() => {
      if (options.pageTitle !== undefined) document.title = options.pageTitle || this.#chat.title;
      if (document.activeElement === document.body) this.#chat.focus();
    });
  }

  clear(): void {
    this.#chat.clear();
  }

  destroy(): void {
    this.#chat.destroy();
    this.host.shadowRoot?.replaceChildren();
  }
}
