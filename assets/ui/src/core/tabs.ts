/** The pages of this browser that show the service, one for each tab. What one keeps is nobody else's while it is open. */

const PREFIX = 'flowkeep.tab.';
/** How long a page that is registered may take to say that it is there. */
const ANSWER_MS = 400;

/** This page, until it is closed or loaded anew. */
export const thisTab = crypto.getRandomValues(new Uint32Array(2)).join('-');

let channel: BroadcastChannel | null = null;
const answered = new Set<string>();

/** Lets other tabs know of this one, from the first time on that it keeps something. */
export function enterTab(): void {
  if (channel) return;
  write();
  channel = new BroadcastChannel('flowkeep.tabs');
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null) return;
    if ('ask' in data && data.ask === thisTab) channel?.postMessage({ here: thisTab });
    if ('here' in data && typeof data.here === 'string') answered.add(data.here);
  };
  // A page that is closed, or loaded anew, leaves what it kept to the next. One that the browser brings back is there again.
  addEventListener('pagehide', () => erase(thisTab));
  addEventListener('pageshow', write);
}

function write(): void {
  try {
    localStorage.setItem(PREFIX + thisTab, '1');
  } catch {
    // Nothing can be kept either.
  }
}

function erase(tab: string): void {
  try {
    localStorage.removeItem(PREFIX + tab);
  } catch {
    // Nothing was kept then.
  }
}

/** Whether a tab says that it is open. One that was killed cannot take that back: see `findGone`. */
export function isOpen(tab: string): boolean {
  try {
    return localStorage.getItem(PREFIX + tab) !== null;
  } catch {
    return false;
  }
}

/** Asks tabs that say they are open whether they still are; those that do not answer are forgotten. True when there were such. */
export async function findGone(tabs: readonly string[]): Promise<boolean> {
  const asked = tabs.filter((tab) => tab !== thisTab && isOpen(tab));
  if (asked.length === 0) return false;
  enterTab();
  for (const tab of asked) {
    answered.delete(tab);
    channel?.postMessage({ ask: tab });
  }
  await new Promise((done) => setTimeout(done, ANSWER_MS));
  const gone = asked.filter((tab) => !answered.has(tab));
  gone.forEach(erase);
  return gone.length > 0;
}

/** Calls back when another tab was closed. */
export function whenTabCloses(then: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent): void => {
    if (key?.startsWith(PREFIX) && newValue === null) then();
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}
