import { enterTab, findGone, isOpen, thisTab, whenTabCloses } from './tabs';

/** Edits that were not sent yet, kept in this browser so that a reload does not lose them. */
export interface LocalCopy {
  text: string;
  /** What was edited: a draft's `updatedDate`, `none` without a draft, or Live and its digest. */
  base: string;
  at: number;
}

const PREFIX = 'flowkeep.edit.';

/** A copy that no open tab edits any more, and where it lies. */
export interface LeftCopy extends LocalCopy {
  place: string;
}

/** Where the edits of a person in a flow are kept, a place for each tab: nobody else is offered them. */
export const localName = (person: string, flow: string): string => `${PREFIX}${person}.${flow}`;

const placeOf = (name: string, tab: string): string => `${name}.${tab}`;

/** Keeps the edits of this tab. */
export function keepLocal(name: string, copy: LocalCopy): void {
  try {
    enterTab();
    localStorage.setItem(placeOf(name, thisTab), JSON.stringify(copy));
  } catch {
    // A full or closed storage keeps nothing; the page still asks before it is left.
  }
}

/** Forgets the edits that this tab keeps, while they are these. */
export const forgetLocal = (name: string, text: string): void => forgetAt(placeOf(name, thisTab), text);

/** Forgets a copy that was left behind, while it is still this one. */
export const forgetLeft = ({ place, text }: LeftCopy): void => forgetAt(place, text);

/** Makes a copy that was left behind one of this tab. It is kept there before it leaves its place. */
export function adoptLeft(name: string, copy: LeftCopy): void {
  const { text, base, at, place } = copy;
  keepLocal(name, { text, base, at });
  const own = placeOf(name, thisTab);
  if (place !== own && readLocal(own)?.text === text) forgetAt(place, text);
}

function forgetAt(place: string, text: string): void {
  try {
    if (readLocal(place)?.text === text) localStorage.removeItem(place);
  } catch {
    // Nothing was kept then.
  }
}

/** The tab that keeps something at a place; nothing for what was kept before tabs had places of their own. */
const tabOf = (name: string, place: string): string => place.slice(name.length + 1);

function placesOf(name: string): string[] {
  try {
    return Object.keys(localStorage).filter((place) => place === name || place.startsWith(`${name}.`));
  } catch {
    return [];
  }
}

/** What was kept and is not being edited in another tab: this tab's own first, then the newest. */
export function leftBehind(name: string): LeftCopy[] {
  const own = placeOf(name, thisTab);
  return placesOf(name)
    .filter((place) => place === own || !isOpen(tabOf(name, place)))
    .flatMap((place) => {
      const copy = readLocal(place);
      return copy ? [{ ...copy, place }] : [];
    })
    .sort((a, b) => Number(b.place === own) - Number(a.place === own) || b.at - a.at);
}

/** Calls back when there may be more that was left behind: a tab was closed, or turned out to be gone. */
export function whenLeftBehind(name: string, then: () => void): () => void {
  let over = false;
  void findGone(placesOf(name).map((place) => tabOf(name, place))).then((found) => {
    if (found && !over) then();
  });
  const stop = whenTabCloses(then);
  return () => {
    over = true;
    stop();
  };
}

/** Who signs out leaves nothing behind. */
export function forgetAllLocal(): void {
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const name of Object.keys(storage)) if (name.startsWith(PREFIX)) storage.removeItem(name);
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
