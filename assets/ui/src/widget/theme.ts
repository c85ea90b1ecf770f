/** How a page says that the chat is to look. */
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
