import { useReactFlow } from '@xyflow/react';
import { useCallback, useMemo, useState } from 'react';
import type { Card } from '../../../api/cards';
import type { Point } from '../../../core/flowdata';
import { isNote } from '../../../core/nodes';
import { toast } from '../../../ui';
import { isContainer, isStep, nodeIn, type Doc } from '../document/doc';
import type { Sizes } from '../document/arrange';
import { addCard, addConnected, insertOnEdge, type Added } from '../document/edit';
import { BOX, isStepCard, isValue } from '../document/definition';
import { mayReplace, replaceCard } from '../document/replace';
import { fittingPlace, mayAdd, mayLieIn, type End } from '../document/rules';
import type { DocumentHandle } from '../editing/useDocument';
import { noteRecent } from '../palette/search';
import { t } from '../words';
import type { Drawing } from './useDrawing';

/** What the list of cards is open for. */
export type Purpose =
  | { is: 'add'; at: Point }
  | { is: 'connect'; from: End; at: Point }
  | { is: 'insert'; edge: string; at: Point }
  | { is: 'inside'; box: string }
  | { is: 'replace'; id: string };

export interface Asking {
  purpose: Purpose;
  /** Where it opens, counted from the corner of the canvas. */
  place: Point;
}

export interface Adding {
  asking: Asking | null;
  ask: (asking: Asking | null) => void;
  /** The cards that fit what the list is open for. */
  fitting: readonly Card[];
  pick: (card: Card) => void;
  /** Puts a card in free space around this place. */
  put: (card: Card, at: Point, exactly?: boolean) => void;
  /** Puts a card into a connection; false when it does not fit there. */
  insert: (card: Card, edge: string, at: Point) => boolean;
}

export interface AddingOf {
  document: DocumentHandle;
  drawing: Drawing;
  cards: readonly Card[];
  say: (text: string) => void;
  onSelect: (id: string | null) => void;
}

const CARD = { width: 260, height: 120 };
/** Steps are narrower, as a rule: their face is all of them. */
const STEP_WIDTH = 140;
const STEP = 40;
/** Where the first card goes in a box: below its name. */
const INSIDE = { x: 40, y: 80 };

/** Putting cards on the canvas: by themselves, at the end of a connection, into one, and in the place of another. */
export function useAdding({ document, drawing, cards, say, onSelect }: AddingOf): Adding {
  const { apply, now } = document;
  const { choose, chosen, sizes } = drawing;
  const { getInternalNode } = useReactFlow();
  const [asking, ask] = useState<Asking | null>(null);

  const done = useCallback(
    (added: Added, card: Card) => {
      apply(() => added.doc);
      choose([added.id]);
      onSelect(added.id);
      noteRecent(card.name);
      say(t('editor.said.added', { name: card.label }));
    },
    [apply, choose, onSelect, say],
  );

  const put = useCallback(
    (card: Card, at: Point, exactly = false) => {
      const doc = now();
      if (!doc) return;
      const refused = mayAdd(doc, card);
      if (refused) {
        toast({ text: t(refused.key, refused.values), tone: 'danger' });
        return;
      }
      const box = exactly ? boxAt(doc, at, card, getInternalNode) : null;
      const beside = exactly ? null : besideChosen(doc, chosen, card, sizes());
      const place =
        beside?.at ??
        (box ? { x: at.x - box.x - 60, y: at.y - box.y - 30 } : { x: at.x - 110, y: at.y - 30 });
      const free = exactly ? place : freePlace(doc, place, card, sizes(), beside?.box);
      done(addCard(doc, card, round(free), beside?.box ?? box?.id), card);
    },
    [now, chosen, sizes, done, getInternalNode],
  );

  const insert = useCallback(
    (card: Card, edge: string, at: Point): boolean => {
      const doc = now();
      if (!doc || mayAdd(doc, card)) return false;
      const added = insertOnEdge(doc, edge, card, placeOf(doc, { is: 'insert', edge, at }, getInternalNode));
      if (added) done(added, card);
      return added !== null;
    },
    [now, done, getInternalNode],
  );

  const fitting = useMemo(() => {
    const doc = now();
    if (!asking || !doc) return [];
    return cards.filter((card) => fits(doc, asking.purpose, card));
  }, [asking, cards, now]);

  const pick = useCallback(
    (card: Card) => {
      const doc = now();
      ask(null);
      if (!asking || !doc) return;
      const { purpose } = asking;
      if (purpose.is === 'add') put(card, purpose.at, true);
      else if (purpose.is === 'inside') {
        const free = freePlace(doc, INSIDE, card, sizes(), purpose.box);
        done(addCard(doc, card, round(free), purpose.box), card);
      } else if (purpose.is === 'replace') {
        const replaced = replaceCard(doc, purpose.id, card);
        if (!replaced) return;
        done(replaced, card);
        if (replaced.lost > 0) toast({ text: t('editor.lost', { count: replaced.lost }), tone: 'danger' });
      } else {
        const at = placeOf(doc, purpose, getInternalNode);
        const added =
          purpose.is === 'connect'
            ? addConnected(doc, purpose.from, card, at)
            : insertOnEdge(doc, purpose.edge, card, at);
        if (added) done(added, card);
      }
    },
    [asking, now, put, done, sizes, getInternalNode],
  );
  return { asking, ask, fitting, pick, put, insert };
}

function fits(doc: Doc, purpose: Purpose, card: Card): boolean {
  switch (purpose.is) {
    case 'add':
      return mayAdd(doc, card) === null;
    case 'connect':
      return mayAdd(doc, card) === null && fittingPlace(doc, purpose.from, card) !== null;
    case 'insert':
      return mayAdd(doc, card) === null && insertOnEdge(doc, purpose.edge, card, { x: 0, y: 0 }) !== null;
    case 'inside':
      return mayAdd(doc, card) === null && mayLieIn(card.name, true);
    case 'replace': {
      const node = nodeIn(doc, purpose.id);
      return node !== undefined && node.data.name !== card.name && mayReplace(doc, node, card);
    }
  }
}

type Inner = ReturnType<typeof useReactFlow>['getInternalNode'];

/** Where a card goes that is connected: beside its end, inside of the same box. */
function placeOf(doc: Doc, purpose: Extract<Purpose, { at: Point }>, inner: Inner): Point {
  const id =
    purpose.is === 'connect'
      ? purpose.from.node
      : purpose.is === 'insert'
        ? doc.edges.find((edge) => edge.id === purpose.edge)?.source
        : undefined;
  const node = id ? nodeIn(doc, id) : undefined;
  const parent = node?.parentId;
  const box = parent ? inner(parent)?.internals.positionAbsolute : undefined;
  const back =
    purpose.is === 'connect' && purpose.from.side === 'target'
      ? CARD.width
      : purpose.is === 'insert'
        ? (node && isStep(node) ? STEP_WIDTH : CARD.width) / 2
        : 0;
  return round({ x: purpose.at.x - back - (box?.x ?? 0), y: purpose.at.y - 30 - (box?.y ?? 0) });
}

/** The box under a place, for a card that may lie in one. */
function boxAt(doc: Doc, at: Point, card: Card, inner: Inner): { id: string; x: number; y: number } | null {
  if (!mayLieIn(card.name, true)) return null;
  for (const node of doc.nodes.filter(isContainer)) {
    const found = inner(node.id);
    if (!found) continue;
    const { x, y } = found.internals.positionAbsolute;
    const { width = 0, height = 0 } = found.measured;
    if (at.x > x && at.x < x + width && at.y > y && at.y < y + height) return { id: node.id, x, y };
  }
  return null;
}

/** Right of the one card that is chosen, in the same box: who draws one after the other draws from left to right. */
function besideChosen(
  doc: Doc,
  chosen: readonly string[],
  card: Card,
  sizes: Sizes,
): { at: Point; box?: string } | null {
  const node = chosen.length === 1 && chosen[0] !== undefined ? nodeIn(doc, chosen[0]) : undefined;
  if (!node || isNote(node)) return null;
  const box = node.parentId;
  if (box && !mayLieIn(card.name, true)) return null;
  const gap = box ? 40 : 80;
  const at = {
    x: node.position.x + (sizes.get(node.id)?.width ?? CARD.width) + gap,
    y: node.position.y,
  };
  return box ? { at, box } : { at };
}

/** What a card will take, before it is drawn: a line for each place of a connection below its name. */
function roomOf(card: Card): { width: number; height: number } {
  if (isStepCard(card)) return card.name === 'iterationAgentflow' ? BOX : CARD;
  const places = card.inputs.filter((param) => !isValue(param)).length + 1;
  return { width: CARD.width, height: 64 + 26 * places };
}

/** The nearest place to the wanted one that nothing covers; in a box it is counted from there. */
function freePlace(doc: Doc, at: Point, card: Card, sizes: Sizes, box?: string): Point {
  const own = roomOf(card);
  const taken = doc.nodes
    .filter((node) => node.parentId === box)
    .map((node) => ({ ...node.position, ...(sizes.get(node.id) ?? CARD) }));
  const free = (x: number, y: number): boolean =>
    taken.every(
      (one) =>
        x + own.width + 20 <= one.x ||
        x >= one.x + one.width + 20 ||
        y + own.height + 20 <= one.y ||
        y >= one.y + one.height + 20,
    );
  for (let ring = 0; ring < 60; ring += 1) {
    for (const [dx, dy] of around(ring)) {
      const [x, y] = [at.x + dx * STEP, at.y + dy * STEP];
      const held = box === undefined || (x >= INSIDE.x && y >= INSIDE.y);
      if (held && free(x, y)) return { x, y };
    }
  }
  return at;
}

function around(ring: number): [number, number][] {
  if (ring === 0) return [[0, 0]];
  const all: [number, number][] = [];
  for (let at = -ring; at <= ring; at += 1) all.push([at, -ring], [at, ring], [ring, at], [-ring, at]);
  return all;
}

const round = ({ x, y }: Point): Point => ({ x: Math.round(x / 10) * 10, y: Math.round(y / 10) * 10 });
