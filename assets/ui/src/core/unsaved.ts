/**
 * Edits that only the page holds. Who is about to leave them is asked first, and when the session of their person ends,
 * the page stays and the person signs in over it.
 */

export interface Held {
  /** Whether the edits are still there at an address of the app, or are sent by whoever leaves. */
  stays: (to: string) => boolean;
  /** Sends edits that send themselves; nothing for those that wait until a person says so. */
  send?: (() => Promise<boolean>) | undefined;
}

const all = new Set<Held>();

/** Returns what lets go again. */
export function holdUnsaved(held: Held): () => void {
  all.add(held);
  return () => void all.delete(held);
}

/** The page is drawn for somebody else, or for nobody: what it held went with it. */
export const letGoOfAll = (): void => all.clear();

/** Whether the page holds edits that are nowhere else. */
export const holdsEdits = (): boolean => all.size > 0;

/** Whether going to this address would lose edits. */
export const losesEdits = (to: string): boolean => [...all].some(({ stays }) => !stays(to));

/** Sends what sends itself; whether nothing is left then. */
export async function sendHeld(): Promise<boolean> {
  const sent = await Promise.all([...all].map(({ send }) => send?.() ?? false));
  return sent.every(Boolean);
}
