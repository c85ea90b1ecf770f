import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { readDoc, writeDoc, type Doc } from '../document/doc';
import { begin, redo, replacePresent, step, undo, type History } from '../document/history';
import type { Editing } from './useEditing';

/** What people do to a canvas, and what it is at the moment. */
export interface DocumentHandle {
  /** Null when what is stored cannot be read as a canvas. */
  doc: Doc | null;
  /** Whether it may be changed now. */
  open: boolean;
  /** Changes the canvas. Steps of one name that follow quickly are undone together. */
  apply: (change: (doc: Doc) => Doc, name?: string) => void;
  /** The canvas as it is now, for what happens later than it was drawn. */
  now: () => Doc | null;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

interface Held {
  history: History<Doc> | null;
  /** The text that the present was read from, or was written as. */
  text: string;
  /** What that text says. */
  of: Doc | null;
}

/** The canvas being drawn on, with its history. It follows the text when that changes by another hand. */
export function useDocument(editing: Editing, stored: string, mayEdit: boolean): DocumentHandle {
  const { draw, local, fault, asStored } = editing;
  const text = editing.text ?? stored;
  const [held, show] = useState<Held>(() => reading(null, text));
  const now = useRef(held);
  const put = useCallback((next: Held) => {
    now.current = next;
    show(next);
  }, []);
  useEffect(() => {
    if (text === now.current.text || fault) return;
    const { history, of } = now.current;
    if (text !== asStored) put(reading(history, text));
    // What was drawn while it was sent is the newer one.
    else if (history?.present === of) put(reading(history, text, replacePresent));
  }, [text, asStored, fault, put]);

  const open = mayEdit && local === null && !fault;
  const go = useCallback(
    (change: (history: History<Doc>) => History<Doc>) => {
      const { history } = now.current;
      if (!history || !open) return;
      const next = change(history);
      if (next === history) return;
      put({ ...now.current, history: next });
      if (next.present === history.present) return;
      draw(() => {
        const { present } = now.current.history ?? next;
        const written = writeDoc(present);
        now.current = { ...now.current, text: written, of: present };
        return written;
      });
    },
    [open, draw, put],
  );
  const apply = useCallback(
    (change: (doc: Doc) => Doc, name?: string) =>
      go((history) => step(history, change(history.present), name ?? null, Date.now())),
    [go],
  );
  const present = held.history?.present ?? null;
  // They stay the same from document to document: whatever is given them would be drawn anew with each letter.
  const latest = useCallback(() => now.current.history?.present ?? null, []);
  const back = useCallback(() => go(undo), [go]);
  const forth = useCallback(() => go(redo), [go]);
  return useMemo(
    () => ({
      doc: present,
      open,
      apply,
      now: latest,
      undo: back,
      redo: forth,
      canUndo: open && (held.history?.past.length ?? 0) > 0,
      canRedo: open && (held.history?.future.length ?? 0) > 0,
    }),
    [present, open, apply, latest, back, forth, held.history],
  );
}

const asStep = (history: History<Doc>, doc: Doc): History<Doc> => step(history, doc, null, Date.now());

/** Takes up another text. What says the same is the same; what says something else is a step that can be undone. */
function reading(history: History<Doc> | null, text: string, take = asStep): Held {
  const doc = readDoc(text);
  if (!doc) return { history, text, of: history?.present ?? null };
  if (!history) return { history: begin(doc), text, of: doc };
  if (writeDoc(doc) === writeDoc(history.present) || compact(text) === writeDoc(history.present))
    return { history, text, of: history.present };
  return { history: take(history, doc), text, of: doc };
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
