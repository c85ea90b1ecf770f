/** Edits that were not sent yet, kept in this browser so that a reload does not lose them. */
export interface LocalCopy {
  text: string;
  /** What was edited: a draft's `updatedDate`, `none` without a draft, or Live and its digest. */
  base: string;
  at: number;
}

const PREFIX = 'flowkeep.edit.';

/** Where the edits of a person in a flow are kept: nobody else is offered them. */
export const localName = (person: string, flow: string): string => `${PREFIX}${person}.${flow}`;

export function keepLocal(name: string, copy: LocalCopy): void {
  try {
    localStorage.setItem(name, JSON.stringify(copy));
  } catch {
    // A full or closed storage keeps nothing; the page still asks before it is left.
  }
}

/** Forgets the edits that are kept, while they are these: those of another tab stay. */
export function forgetLocal(name: string, text: string): void {
  try {
    if (readLocal(name)?.text === text) localStorage.removeItem(name);
  } catch {
    // Nothing was kept then.
  }
}

/** Who signs out leaves nothing behind. */
export function forgetAllLocal(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Nothing was kept then.
  }
}

export function readLocal(name: string): LocalCopy | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    if (typeof read !== 'object' || read === null) return null;
    const { text, base, at } = read as Partial<Record<string, unknown>>;
    return typeof text === 'string' && typeof base === 'string' && typeof at === 'number'
      ? { text, base, at }
      : null;
  } catch {
    return null;
  }
}

/** Tells texts apart, not against malice: 53 bits, the same everywhere (web crypto is missing without TLS). */
export function digest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
