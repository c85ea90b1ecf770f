/** A tab left open across an upgrade asks for files that are gone. */

let noticed = false;
const listeners = new Set<() => void>();

export function isLostChunk(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|importing a module script|preload css/i.test(error.message)
  );
}

export function noticeNewVersion(): void {
  noticed = true;
  for (const listener of listeners) listener();
}

export const isNewVersion = (): boolean => noticed;

export function subscribeNewVersion(listener: () => void): () => void {
  const onLost = (event: Event): void => {
    event.preventDefault();
    noticeNewVersion();
  };
  listeners.add(listener);
  addEventListener('vite:preloadError', onLost);
  return () => {
    listeners.delete(listener);
    removeEventListener('vite:preloadError', onLost);
  };
}
