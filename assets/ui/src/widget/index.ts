import type { BotOptions } from './options';
import { Bubble } from './view/bubble';
import { Full } from './view/full';

export type { BotOptions } from './options';

let bubble: Bubble | undefined;
const pages = new Map<HTMLElement, Full>();

/** Puts the round button on the page. A second call replaces the first. */
export function init(options: BotOptions): void {
  bubble?.destroy();
  bubble = new Bubble(options);
}

/** Fills an element: the one with `id`, else the first chat element of the page, else the page. */
export function initFull(options: BotOptions & { id?: string }): void {
  const found = options.id
    ? document.getElementById(options.id)
    : document.querySelector<HTMLElement>('flowkeep-fullchat, flowise-fullchatbot');
  const host = found ?? document.body.appendChild(document.createElement('flowkeep-fullchat'));
  if (options.id && !found) host.id = options.id;
  pages.get(host)?.destroy();
  pages.set(host, new Full(host, options));
}

/** Takes every chat off the page. */
export function destroy(): void {
  bubble?.destroy();
  bubble = undefined;
  for (const page of pages.values()) page.destroy();
  pages.clear();
}

/** Starts new conversations: in the element with this id, or everywhere. */
export function clearChat(id?: string): void {
  if (id === undefined) bubble?.clear();
  for (const [host, page] of pages) if (id === undefined || host.id === id) page.clear();
}

const Chatbot = { init, initFull, destroy, clearChat };
export default Chatbot;

declare global {
  interface Window {
    Chatbot?: typeof Chatbot;
  }
}

// Buttons of a page call it by this name.
window.Chatbot ??= Chatbot;
