/** What the command menu and the shortcut list offer: screens register theirs while they are shown. */

export interface Action {
  id: string;
  label: string;
  /** Keys as `Mod+S`, shown beside it. */
  shortcut?: string;
  keywords?: string[];
  run: () => void;
}

export interface ShortcutGroup {
  title: string;
  keys: { keys: string; label: string }[];
}

class Registry<Entry> {
  #groups: readonly (readonly Entry[])[] = [];
  #all: readonly Entry[] = [];
  readonly #listeners = new Set<() => void>();

  /** Returns what takes them away again. */
  add(entries: readonly Entry[]): () => void {
    this.#put([...this.#groups, entries]);
    return () => this.#put(this.#groups.filter((group) => group !== entries));
  }

  readonly all = (): readonly Entry[] => this.#all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #put(groups: readonly (readonly Entry[])[]): void {
    this.#groups = groups;
    this.#all = groups.flat();
    for (const listener of this.#listeners) listener();
  }
}

export const actions = new Registry<Action>();
export const shortcuts = new Registry<ShortcutGroup>();

/** Whether a key press is meant for a field that is typed into. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
