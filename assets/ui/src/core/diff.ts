import { diffLines, diffWordsWithSpace } from 'diff';

/** A piece of a line; `marked` is what changed inside it. */
export interface DiffPart {
  text: string;
  marked: boolean;
}

export type DiffLine =
  { kind: 'same' | 'added' | 'removed'; parts: DiffPart[] } | { kind: 'gap'; count: number };

/** Unchanged lines shown around a change. */
const AROUND = 3;

/** Compares two texts line by line; long unchanged stretches become gaps. */
export function diffText(before: string, after: string): DiffLine[] {
  const out: DiffLine[] = [];
  const changes = diffLines(before, after);
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at];
    const next = changes[at + 1];
    if (!change) continue;
    if (change.removed && next?.added) {
      pair(out, lines(change.value), lines(next.value));
      at += 1;
    } else {
      const kind = change.added ? 'added' : change.removed ? 'removed' : 'same';
      for (const text of lines(change.value)) out.push({ kind, parts: [{ text, marked: false }] });
    }
  }
  return fold(out);
}

function lines(text: string): string[] {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}

/** Removed lines and the lines that replace them, with the changed words marked. */
function pair(out: DiffLine[], removed: string[], added: string[]): void {
  if (removed.length !== added.length) {
    for (const text of removed) out.push({ kind: 'removed', parts: [{ text, marked: false }] });
    for (const text of added) out.push({ kind: 'added', parts: [{ text, marked: false }] });
    return;
  }
  const words = removed.map((text, at) => diffWordsWithSpace(text, added[at] ?? ''));
  const side = (kind: 'added' | 'removed'): void => {
    for (const changes of words) {
      const other = kind === 'added' ? 'removed' : 'added';
      const parts = changes
        .filter((part) => !part[other])
        .map((part) => ({ text: part.value, marked: Boolean(part[kind]) }));
      out.push({ kind, parts });
    }
  };
  side('removed');
  side('added');
}

function fold(all: DiffLine[]): DiffLine[] {
  const near = (at: number): boolean =>
    all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.kind !== 'same');
  const out: DiffLine[] = [];
  all.forEach((line, at) => {
    const last = out.at(-1);
    if (line.kind !== 'same' || near(at)) out.push(line);
    else if (last?.kind === 'gap') last.count += 1;
    else out.push({ kind: 'gap', count: 1 });
  });
  return out;
}

/** Compares two texts word by word; each side has the words marked that the other lacks. */
export function diffSides(before: string, after: string): { before: DiffPart[]; after: DiffPart[] } {
  const sides = { before: [] as DiffPart[], after: [] as DiffPart[] };
  const changes = diffWordsWithSpace(before, after);
  changes.forEach(({ value, added, removed }, at) => {
    const isSame = !added && !removed;
    // Words that changed one after another are one change, whatever stands between them.
    const between = isSame && !value.trim() && at > 0 && at < changes.length - 1;
    if (!added) append(sides.before, value, !isSame || between);
    if (!removed) append(sides.after, value, !isSame || between);
  });
  return sides;
}

function append(parts: DiffPart[], text: string, marked: boolean): void {
  const last = parts.at(-1);
  if (last?.marked === marked) last.text += text;
  else parts.push({ text, marked });
}
