import type { Message } from './message';
import type { Texts } from './texts';
import type { Theme } from './theme';

/** What a page passes. The names are those of the common third-party embed, so that a page changes one address. */
export interface BotOptions {
  chatflowid: string;
  /** Address of the service; absent: where this script came from. */
  apiHost?: string;
  /** Title of the browser tab, in full-page mode. */
  pageTitle?: string;
  /** May change each request before it is sent, for example to add a header. */
  onRequest?: (request: RequestInit) => void | Promise<void>;
  /** Sent as `overrideConfig` with each question. */
  chatflowConfig?: Record<string, unknown>;
  observersConfig?: Observers;
  theme?: Theme;
  /** Taken for compatibility: nothing here is drawn outside the chat. */
  dialogContainer?: string | HTMLElement;
  /** Own options: texts, and the colours of the page (`page` follows what the page declares). */
  texts?: Partial<Texts>;
  /** Of the texts, `en` or `de`; absent: the language of the page, else of the browser. */
  language?: string;
  colorScheme?: Scheme;
  dir?: 'ltr' | 'rtl';
}

export type Scheme = 'page' | 'auto' | 'light' | 'dark';

export interface Observers {
  observeUserInput?: (text: string) => void;
  observeMessages?: (messages: Message[]) => void;
  observeLoading?: (loading: boolean) => void;
}
