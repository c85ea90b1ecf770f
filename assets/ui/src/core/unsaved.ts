/** Edits that only the page holds: who is about to leave them is asked first. */

/** Whether the edits are still there at an address of the app. */
type Stays = (to: string) => boolean;

const held = new Set<Stays>();

/** Returns what lets go again. */
export function holdUnsaved(stays: Stays): () => void {
  held.add(stays);
  return () => void held.delete(stays);
}

/** Whether the page holds edits that are nowhere else. */
export const holdsEdits = (): boolean => held.size > 0;

/** Whether going to this address would lose edits. */
export const losesEdits = (to: string): boolean => [...held].some((stays) => !stays(to));
