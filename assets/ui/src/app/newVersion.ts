/** A tab left open across an upgrade asks for parts that are gone. */
import { holdsEdits } from '../core/unsaved';

const RELOADED = 'flowkeep.reloaded';
/** A page that lacks a part again so soon would reload for ever. */
const SOON_MS = 60_000;

let noticed = false;
const listeners = new Set<() => void>();

/** Goes on with the new version: by itself where that loses nothing, else when the person says so. */
export function meetNewVersion(): void {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (!holdsEdits() && Date.now() - last > SOON_MS) {
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
    return;
  }
  noticed = true;
  for (const listener of listeners) listener();
}

export const isNewVersion = (): boolean => noticed;

export function subscribeNewVersion(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
