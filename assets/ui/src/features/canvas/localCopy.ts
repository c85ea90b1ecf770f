/** Edits that were not sent yet, kept in this browser so that a reload does not lose them. */
export interface LocalCopy {
  text: string;
  /** Which draft was edited: its `updatedDate`, `none`, or `live`. */
  base: string;
  at: number;
}

const name = (id: string): string => `flowkeep.edit.${id}`;

export function keepLocal(id: string, copy: LocalCopy): void {
  try {
    localStorage.setItem(name(id), JSON.stringify(copy));
  } catch {
    // A full or closed storage keeps nothing; the page still asks before it is left.
  }
}

export function forgetLocal(id: string): void {
  try {
    localStorage.removeItem(name(id));
  } catch {
    // Nothing was kept then.
  }
}

export function readLocal(id: string): LocalCopy | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(name(id)) ?? 'null');
    if (typeof read !== 'object' || read === null) return null;
    const { text, base, at } = read as Partial<Record<string, unknown>>;
    return typeof text === 'string' && typeof base === 'string' && typeof at === 'number'
      ? { text, base, at }
      : null;
  } catch {
    return null;
  }
}
