import { useCallback, useMemo } from 'react';
import type { Card } from '../../../api/cards';
import { toast } from '../../../ui';
import { align, distribute, GRID, nudge, tidy, type Alignment } from '../document/arrange';
import { copyNodes, duplicateNodes, pasteNodes, type Pasted } from '../document/clipboard';
import { nodeIn, type CanvasKind } from '../document/doc';
import { moveInto, remove, resizeNode } from '../document/edit';
import { isNoteCard } from '../document/definition';
import { leaveGroups, makeGroup, ungroup, withMembers } from '../document/groups';
import { disconnect } from '../document/wires';
import type { DocumentHandle } from '../editing/useDocument';
import { t } from '../words';
import type { Drawing } from './useDrawing';

export interface Commands {
  undo: () => void;
  redo: () => void;
  remove: (ids: readonly string[]) => void;
  disconnect: (edge: string) => void;
  copy: (ids: readonly string[]) => string;
  paste: (text: string, at: { x: number; y: number }) => void;
  duplicate: (ids: readonly string[]) => void;
  nudge: (ids: readonly string[], x: number, y: number) => void;
  align: (how: Alignment) => void;
  distribute: (along: 'x' | 'y') => void;
  tidy: () => Promise<void>;
  leaveBox: (ids: readonly string[]) => void;
  /** Puts cards into a group, and opens it to be named. */
  group: (ids: readonly string[]) => void;
  ungroup: (ids: readonly string[]) => void;
  leaveGroup: (ids: readonly string[]) => void;
  resize: (id: string, box: { x: number; y: number; width: number; height: number }) => void;
}

export interface CommandsOf {
  document: DocumentHandle;
  drawing: Drawing;
  kind: CanvasKind;
  cards: readonly Card[];
  credentials: ReadonlySet<string> | null;
  say: (text: string) => void;
  /** Shows one node's settings, or none. */
  onSelect: (id: string | null) => void;
}

/** What can be done to the canvas as a whole and to what is chosen on it. */
export function useCommands(of: CommandsOf): Commands {
  const { document, drawing, kind, cards, credentials, say, onSelect } = of;
  const { apply, now, undo, redo } = document;
  const { choose, chosen, sizes } = drawing;

  const take = useCallback(
    (pasted: Pasted) => {
      if (!pasted.ok) {
        toast({ text: t(`editor.paste.${pasted.problem}`), tone: 'danger' });
        return;
      }
      apply(() => pasted.doc);
      choose(pasted.ids);
      onSelect(null);
      say(t('editor.said.pasted', { count: pasted.ids.length }));
      if (pasted.droppedCredentials > 0)
        toast({ text: t('editor.paste.credentials', { count: pasted.droppedCredentials }), tone: 'danger' });
    },
    [apply, choose, say, onSelect],
  );

  return useMemo<Commands>(() => {
    const inBox = (ids: readonly string[]): Map<string, { x: number; y: number }> => {
      const doc = now();
      const to = new Map<string, { x: number; y: number }>();
      for (const id of ids) {
        const node = doc ? nodeIn(doc, id) : undefined;
        const box = doc && node?.parentId ? nodeIn(doc, node.parentId) : undefined;
        if (node && box)
          to.set(id, { x: box.position.x + node.position.x, y: box.position.y + node.position.y - 160 });
      }
      return to;
    };
    return {
      undo: () => {
        undo();
        say(t('editor.said.undone'));
      },
      redo: () => {
        redo();
        say(t('editor.said.redone'));
      },
      remove: (ids) => {
        if (ids.length === 0) return;
        apply((doc) => remove(doc, new Set(ids)));
        onSelect(null);
        say(t('editor.said.deleted', { count: ids.length }));
      },
      disconnect: (edge) => {
        apply((doc) => disconnect(doc, new Set([edge])));
        say(t('editor.said.disconnected'));
      },
      copy: (ids) => {
        const doc = now();
        if (!doc || ids.length === 0) return '';
        say(t('editor.said.copied', { count: ids.length }));
        return copyNodes(doc, new Set(ids));
      },
      paste: (text, at) => {
        const doc = now();
        if (doc) take(pasteNodes(doc, text, { at, kind, credentials }));
      },
      duplicate: (ids) => {
        const doc = now();
        if (!doc || ids.length === 0) return;
        take(duplicateNodes(doc, new Set(ids), 2 * GRID, { kind, credentials }));
      },
      nudge: (ids, x, y) => apply((doc) => nudge(doc, new Set(ids), { x, y }), `nudge ${ids.join(' ')}`),
      align: (how) => apply((doc) => align(doc, new Set(chosen), how, sizes())),
      distribute: (along) => apply((doc) => distribute(doc, new Set(chosen), along, sizes())),
      tidy: async () => {
        const doc = now();
        if (!doc) return;
        const done = await tidy(doc, sizes());
        if (now() === doc) apply(() => done);
        say(t('editor.said.tidied'));
      },
      leaveBox: (ids) => apply((doc) => moveInto(doc, new Set(ids), null, inBox(ids))),
      group: (ids) => {
        const doc = now();
        const note = cards.find(isNoteCard);
        if (!doc || !note) return;
        const places = doc.nodes.filter((node) => ids.includes(node.id)).map((node) => node.position);
        const at = {
          x: Math.min(...places.map((one) => one.x)),
          y: Math.min(...places.map((one) => one.y)) - 60,
        };
        const made = makeGroup(doc, new Set(ids), note, t('editor.newGroup'), at);
        if (!made) return;
        apply(() => made.doc);
        choose(withMembers(made.doc, [made.id]));
        onSelect(made.id);
        say(t('editor.said.grouped', { count: ids.length }));
      },
      ungroup: (ids) => {
        apply((doc) => ungroup(doc, new Set(ids)));
        onSelect(null);
        say(t('editor.said.ungrouped'));
      },
      leaveGroup: (ids) => apply((doc) => leaveGroups(doc, new Set(ids))),
      resize: (id, { x, y, width, height }) =>
        apply((doc) =>
          resizeNode(doc, id, { width: Math.round(width), height: Math.round(height) }, { x, y }),
        ),
    };
  }, [apply, now, undo, redo, chosen, choose, cards, sizes, take, kind, credentials, say, onSelect]);
}
