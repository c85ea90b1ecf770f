/** What this browser remembers: theme, language, shortcuts, how lists are shown. Read through a guard. */

export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

export function subscribePrefs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function readPref(name: string): string | null {
  try {
    return localStorage.getItem(`flowkeep.${name}`);
  } catch {
    return null;
  }
}

export function writePref(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`flowkeep.${name}`);
    else localStorage.setItem(`flowkeep.${name}`, value);
  } catch {
    // A closed storage forgets; the page works all the same.
  }
  for (const listener of listeners) listener();
}

export function readTheme(): Theme {
  const wish = readPref('theme');
  return wish === 'light' || wish === 'dark' ? wish : 'system';
}

/** Chooses a theme and shows it at once. `public/theme.js` does the same before the first paint. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  writePref('theme', theme === 'system' ? null : theme);
}

export function applyTheme(theme: Theme = readTheme()): void {
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

/** Follows the system while nothing else was chosen, and other tabs. */
export function watchTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme());
  addEventListener('storage', () => {
    applyTheme();
    for (const listener of listeners) listener();
  });
}

/** Whether single letters act on the canvas. */
export function letterKeysOn(): boolean {
  return readPref('letterKeys') !== 'off';
}
