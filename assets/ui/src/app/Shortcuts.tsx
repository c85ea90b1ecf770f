import { useSyncExternalStore, type ReactNode } from 'react';
import { later } from '../ui';

const ShortcutList = later(() => import('./ShortcutList'), null);

let open = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}

/** Opens the list of shortcuts. */
export const showShortcuts = (): void => set(true);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Shortcuts(): ReactNode {
  const isOpen = useSyncExternalStore(subscribe, () => open);
  return isOpen && <ShortcutList onClose={() => set(false)} />;
}
