/** What the browser keeps for one flow: in this tab, or until somebody clears it. */
type Place = 'localStorage' | 'sessionStorage';

/** What was kept; null when nothing was, or the browser keeps nothing. */
export function kept(place: Place, key: string): string | null {
  try {
    return window[place].getItem(key);
  } catch {
    return null;
  }
}

/** Without a place to keep it, it is asked again after a reload. */
export function keep(place: Place, key: string, value: string): void {
  try {
    window[place].setItem(key, value);
  } catch {
    // Nothing is lost but that.
  }
}
