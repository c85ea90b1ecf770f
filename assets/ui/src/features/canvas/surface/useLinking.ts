import { useCallback, useEffect, useRef, useState } from 'react';
import { isNote, nodeLabel } from '../../../core/nodes';
import type { DocumentHandle } from '../editing/useDocument';
import { takesNothing } from '../document/anchors';
import { isStep, nodeIn, type Doc } from '../document/doc';
import { judge, judgeFrom, type End, type Refusal, type Verdict } from '../document/rules';
import { connect } from '../document/wires';
import { t } from '../words';
import type { CardNode } from '../board/graph';
import { endKey } from '../board/look';

export interface Linking {
  /** The end that a connection is drawn from. */
  from: End | null;
  fits: ReadonlySet<string>;
  /** Why the last two ends do not fit. */
  why: string | null;
  begin: (end: End) => void;
  cancel: () => void;
  /** Connects with this end, when that fits; says whether it did. */
  finish: (from: End, to: End) => boolean;
  /** An end was clicked: the first begins, the second connects. */
  pick: (end: End) => void;
  /** A card was meant, and no end of it: connects with the first that fits, or says why none does. */
  meet: (from: End, node: CardNode) => void;
  hint: (why: Refusal | null) => void;
  /** Whether two ends fit; null without a canvas. */
  judge: (from: End, to: End) => Verdict | null;
}

const nothing: ReadonlySet<string> = new Set();

export const endsOf = (node: CardNode): End[] => [
  ...node.data.ports.inputs.map((port): End => ({ node: node.id, handle: port.id, side: 'target' })),
  ...node.data.ports.outputs.map((port): End => ({ node: node.id, handle: port.id, side: 'source' })),
];

const facing = (first: End, node: CardNode): End[] => endsOf(node).filter((one) => one.side !== first.side);

/** The end of a card that fits another end, or the first that could have. */
function endAt(doc: Doc, first: End, node: CardNode): End | null {
  const verdict = judgeFrom(doc, first);
  const others = facing(first, node);
  return others.find((one) => verdict(one).ok) ?? others[0] ?? null;
}

/** Why no end of a card fits this end. */
export function refusalOf(doc: Doc, first: End, node: CardNode): Refusal {
  const { node: stored } = node.data;
  const name = nodeLabel(stored);
  if (first.node === node.id) return { key: 'editor.no.self', values: {} };
  if (isNote(stored)) return { key: 'editor.no.note', values: {} };
  const verdict = judgeFrom(doc, first);
  const found = facing(first, node).flatMap((end) => {
    const one = verdict(end);
    return one.ok ? [] : [one.why];
  });
  // What fits but for one thing says more than what is of another kind.
  const near = found.find((one) => one.key !== 'editor.no.type');
  if (near) return near;
  if (found.length === 1 && found[0]) return found[0];
  if (found.length > 1) return { key: 'editor.no.nothingFits', values: { name } };
  if (takesNothing(String(stored.data.name)) && first.side === 'source')
    return { key: 'editor.no.start', values: {} };
  if (isStep(stored) && first.side === 'target') return { key: 'editor.no.end', values: { name } };
  return { key: first.side === 'source' ? 'editor.no.input' : 'editor.no.output', values: { name } };
}

/** Connecting two ends: by dragging from one to the other, by clicking both, or from a list. */
export function useLinking(
  document: DocumentHandle,
  nodes: CardNode[],
  say: (text: string) => void,
): Linking {
  const { apply, now } = document;
  const [link, setLink] = useState<{ from: End; fits: ReadonlySet<string> } | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const drawn = useRef(nodes);
  useEffect(() => {
    drawn.current = nodes;
  }, [nodes]);
  const from = link?.from ?? null;
  /** Asked with every move of the pointer: what judges one end is kept while the canvas stays. */
  const judging = useRef<{ doc: Doc; end: string; verdict: (to: End) => Verdict } | null>(null);
  const judgeOf = useCallback((doc: Doc, end: End) => {
    const known = judging.current;
    if (known?.doc === doc && known.end === endKey(end)) return known.verdict;
    const verdict = judgeFrom(doc, end);
    judging.current = { doc, end: endKey(end), verdict };
    return verdict;
  }, []);
  const judgeEnds = useCallback(
    (one: End, other: End): Verdict | null => {
      const doc = now();
      // It may be drawn from its target.
      const back = from !== null && endKey(from) === endKey(other);
      return doc && (back ? judgeOf(doc, other)(one) : judgeOf(doc, one)(other));
    },
    [now, from, judgeOf],
  );
  const begin = useCallback(
    (end: End) => {
      const doc = now();
      if (!doc) return;
      const verdict = judgeOf(doc, end);
      const ends = drawn.current.flatMap(endsOf);
      setWhy(null);
      setLink({ from: end, fits: new Set(ends.filter((one) => verdict(one).ok).map(endKey)) });
    },
    [now, judgeOf],
  );
  const hint = useCallback((one: Refusal | null) => setWhy(one ? t(one.key, one.values) : null), []);
  const cancel = useCallback(() => {
    setLink(null);
    setWhy(null);
  }, []);
  const finish = useCallback(
    (first: End, second: End): boolean => {
      const doc = now();
      if (!doc) return false;
      const verdict = judge(doc, first, second);
      setLink(null);
      if (!verdict.ok) {
        hint(verdict.why);
        return false;
      }
      setWhy(null);
      apply((one) => connect(one, verdict.wire));
      const name = (id: string): string =>
        nodeLabel(nodeIn(doc, id) ?? { id, position: { x: 0, y: 0 }, data: {} });
      say(t('editor.said.connected', { from: name(verdict.wire.source), to: name(verdict.wire.target) }));
      return true;
    },
    [apply, now, hint, say],
  );
  const pick = useCallback(
    (end: End) => {
      if (!from) begin(end);
      else if (endKey(from) === endKey(end)) cancel();
      else finish(from, end);
    },
    [from, begin, cancel, finish],
  );
  const meet = useCallback(
    (first: End, node: CardNode): void => {
      const doc = now();
      if (!doc) return;
      const end = endAt(doc, first, node);
      if (end) finish(first, end);
      else {
        setLink(null);
        hint(refusalOf(doc, first, node));
      }
    },
    [now, finish, hint],
  );
  const fits = link?.fits ?? nothing;
  return { from, fits, why, begin, cancel, finish, pick, meet, hint, judge: judgeEnds };
}
