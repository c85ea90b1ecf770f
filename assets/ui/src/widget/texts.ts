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

/** The same in German, in the same order: the keys alone would be a tenth of the widget. */
const GERMAN = `Chat
Hallo. Was kann ich tun?
Eine Frage eingeben
Chat öffnen
Chat schließen
Neues Gespräch
Senden
Antwort stoppen
Dateien hinzufügen
{name} entfernen
Gespräch
Gefragt:
{name} antwortet:
Antwort: {text}
Gestoppt.
Vorschläge
Kopieren
Gute Antwort
Schlechte Antwort
Was könnte besser sein?
Anmerkung senden
Danke.
Nicht gesendet. Noch einmal versuchen.
Quellen
Quelle {number}
Benutzte Werkzeuge
Eingabe
Ausgabe
Gedanken
Noch einmal
Noch einmal in {seconds} s
Wer bist du?
Name
E-Mail-Adresse
Telefonnummer
Chat beginnen
Das fehlt noch.
Das ist keine E-Mail-Adresse.
Vorab
Wählen
Chat beginnen
Abbrechen
{name}: Diese Art wird nicht angenommen.
{name} ist größer als {size} MB.
Höchstens {count} Dateien hinzufügen.
Anmerkung hinzufügen
Lädt
Die Antwort brach ab.
Der Chat ist nicht erreichbar.
Dieser Chat ist noch nicht veröffentlicht.
Das ließ sich nicht beantworten. Ändern und noch einmal versuchen.
Dieser Chat ist nicht öffentlich.
Diese Website ist für diesen Chat nicht zugelassen.
Diesen Chat gibt es nicht.
Zu viele Fragen. Gleich noch einmal versuchen.
Etwas ist schiefgegangen. Noch einmal versuchen.
Der Chat ist ausgelastet. Gleich noch einmal versuchen.`;

/** The texts of a language: German where it is asked for, else English; `changes` of the page before both. */
export function texts(
  changes: Partial<Texts> | undefined,
  language = document.documentElement.lang || navigator.language,
): Texts {
  if (!/^de\b/i.test(language)) return { ...TEXTS, ...changes };
  const german = GERMAN.split('\n');
  const all = Object.keys(TEXTS).map((key, at) => [key, german[at]]);
  return { ...(Object.fromEntries(all) as Texts), ...changes };
}

/** Puts values in their places. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
