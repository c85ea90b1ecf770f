/** Browser and system of a user agent, in the words people know. */

const browsers: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS|Chromium/, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

/** "Firefox · Linux"; the agent itself when it is no browser, `null` when there is none. */
export function browserOf(agent: string | null): string | null {
  if (!agent) return null;
  const known = (list: readonly [RegExp, string][]): string | undefined =>
    list.find(([mark]) => mark.test(agent))?.[1];
  const names = [known(browsers), known(systems)].filter(Boolean);
  return names.length > 0 ? names.join(' · ') : agent;
}

export const isPhone = (agent: string | null): boolean => /Mobi|iPhone|Android/.test(agent ?? '');
