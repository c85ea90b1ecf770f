/** Every sentence the chat shows. A page may replace any of them through the option `texts`. */
export const TEXTS = {
  title: 'Chat',
  welcome: 'Hello. How can I help?',
  placeholder: 'Type your question',
  open: 'Open chat',
  close: 'Close chat',
  fresh: 'New conversation',
  send: 'Send',
  stop: 'Stop answering',
  attach: 'Add files',
  remove: 'Remove {name}',
  messages: 'Conversation',
  youSaid: 'You said:',
  botSaid: '{name} said:',
  answered: 'Answer: {text}',
  stopped: 'Stopped.',
  suggestions: 'Suggestions',
  copy: 'Copy',
  good: 'Good answer',
  bad: 'Bad answer',
  comment: 'What could be better?',
  commentSend: 'Send comment',
  thanks: 'Thank you.',
  unsent: 'Not sent. Try again.',
  sources: 'Sources',
  source: 'Source {number}',
  tools: 'Used tools',
  toolInput: 'Input',
  toolOutput: 'Output',
  thinking: 'Reasoning',
  retry: 'Try again',
  retryIn: 'Try again in {seconds} s',
  leadTitle: 'Who are you?',
  leadName: 'Name',
  leadEmail: 'Email address',
  leadPhone: 'Phone number',
  leadSend: 'Start chat',
  required: 'Fill in this field.',
  wrongEmail: 'This is not an email address.',
  formTitle: 'First of all',
  choose: 'Choose one',
  accept: 'Start chat',
  decline: 'Cancel',
  fileType: '{name}: this type is not taken.',
  fileSize: '{name} is larger than {size} MB.',
  fileCount: 'Add at most {count} files.',
  actionComment: 'Add a comment',
  loading: 'Loading',
  errorStream: 'The answer broke off.',
  errorNetwork: 'The chat cannot be reached.',
  unpublished: 'This chat is not published yet.',
  error400: 'This could not be answered. Change it and try again.',
  error401: 'This chat is not open to visitors.',
  error403: 'This site may not be listed for this chat.',
  error404: 'This chat is not available.',
  error429: 'Too many questions. Try again in a moment.',
  error500: 'Something went wrong. Try again.',
  error503: 'The chat is busy. Try again in a moment.',
};

export type Texts = typeof TEXTS;
export type TextKey = keyof Texts;

export function texts(changes: Partial<Texts> | undefined): Texts {
  return { ...TEXTS, ...changes };
}

/** Puts values in their places. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
