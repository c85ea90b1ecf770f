import type { Message } from './message';
import type { Texts } from './texts';

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
  colorScheme?: Scheme;
  dir?: 'ltr' | 'rtl';
}

export type Scheme = 'page' | 'auto' | 'light' | 'dark';

export interface Observers {
  observeUserInput?: (text: string) => void;
  observeMessages?: (messages: Message[]) => void;
  observeLoading?: (loading: boolean) => void;
}

export interface Theme {
  button?: ButtonTheme;
  tooltip?: TooltipTheme;
  disclaimer?: DisclaimerTheme;
  form?: { backgroundColor?: string; textColor?: string };
  chatWindow?: ChatWindowTheme;
  customCSS?: string;
}

export interface ButtonTheme {
  size?: 'small' | 'medium' | 'large' | number;
  backgroundColor?: string;
  iconColor?: string;
  customIconSrc?: string;
  bottom?: number;
  right?: number;
  dragAndDrop?: boolean;
  autoWindowOpen?: { autoOpen?: boolean; openDelay?: number; autoOpenOnMobile?: boolean };
}

export interface TooltipTheme {
  showTooltip?: boolean;
  tooltipMessage?: string;
  tooltipBackgroundColor?: string;
  tooltipTextColor?: string;
}

export interface DisclaimerTheme {
  title?: string;
  message?: string;
  textColor?: string;
  buttonColor?: string;
  buttonTextColor?: string;
  buttonText?: string;
  backgroundColor?: string;
  denyButtonBgColor?: string;
  denyButtonText?: string;
}

export interface BubbleTheme {
  backgroundColor?: string;
  textColor?: string;
  showAvatar?: boolean;
  avatarSrc?: string;
}

export interface InputTheme {
  placeholder?: string;
  backgroundColor?: string;
  textColor?: string;
  sendButtonColor?: string;
  autoFocus?: boolean;
  sendMessageSound?: boolean;
  sendSoundLocation?: string;
  receiveMessageSound?: boolean;
  receiveSoundLocation?: string;
  enableInputHistory?: boolean;
}

export interface ChatWindowTheme {
  showTitle?: boolean;
  showAgentMessages?: boolean;
  title?: string;
  titleAvatarSrc?: string;
  titleTextColor?: string;
  titleBackgroundColor?: string;
  welcomeMessage?: string;
  errorMessage?: string;
  backgroundColor?: string;
  height?: number | string;
  width?: number | string;
  fontSize?: number;
  userMessage?: BubbleTheme;
  botMessage?: BubbleTheme;
  textInput?: InputTheme;

  footer?: {
    showFooter?: boolean;
    textColor?: string;
    text?: string;
    company?: string;
    companyLink?: string;
  };
  sourceDocsTitle?: string;
  starterPrompts?: string[] | Record<string, { prompt?: string }>;
  clearChatOnReload?: boolean;
  renderHTML?: boolean;
  headerHtml?: string;
}
