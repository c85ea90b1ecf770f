import { setLocale } from '../core/format';
import { readPref, subscribePrefs, writePref } from '../core/prefs';
import { setWords } from './index';

/** The languages of the page. A text that a language lacks stays English. */
export const languages = ['en', 'de'] as const;

export type Language = (typeof languages)[number];

/** How the languages call themselves. */
export const ownNames: Record<Language, string> = { en: 'English', de: 'Deutsch' };

/** The name under which this browser remembers the choice. */
const CHOICE = 'language';
/** A language for tests, which nobody can choose. */
const PSEUDO = 'pseudo';

const isLanguage = (tag: string | null): tag is Language =>
  (languages as readonly (string | null)[]).includes(tag);
const languageOf = (tag: string): string => tag.toLowerCase().split('-')[0] ?? '';

/** The first language of the browser that the page knows. */
export const browserLanguage = (): Language => navigator.languages.map(languageOf).find(isLanguage) ?? 'en';

let shown: string | undefined;
const listeners = new Set<() => void>();

/** The language that is shown, for what is drawn anew when it changes. */
export const shownLanguage = (): string => shown ?? 'en';

export function subscribeLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Chooses a language, or with null that of the browser; what watches the choice shows it. */
export const chooseLanguage = (language: Language | null): void => writePref(CHOICE, language);

/** Loads the texts of the language that is wanted; without them the page is English. */
export async function showLanguage(): Promise<void> {
  const chosen = readPref(CHOICE);
  const wanted = chosen === PSEUDO || isLanguage(chosen) ? chosen : browserLanguage();
  if (wanted === shown) return;
  try {
    await put(wanted);
  } catch {
    // The server is away: better in English than not at all.
    await put('en');
  }
  for (const listener of listeners) listener();
}

async function put(language: Language | typeof PSEUDO): Promise<void> {
  if (language === PSEUDO) setWords('en', {}, (await import('./pseudo')).pseudo);
  else setWords(language, language === 'de' ? (await import('./de')).de : {});
  shown = language;
  const tag = language === PSEUDO ? 'en' : language;
  // Dates and numbers as where the person is, as far as the browser tells that.
  setLocale(navigator.languages.find((one) => languageOf(one) === tag) ?? tag);
  document.documentElement.lang = tag;
  document.documentElement.dir = language === PSEUDO ? 'rtl' : 'ltr';
}

/** Shows what is chosen, here or in another tab. */
export const watchLanguage = (): (() => void) => subscribePrefs(() => void showLanguage());
