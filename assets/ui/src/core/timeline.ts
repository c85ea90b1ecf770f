/** Where the steps of a run stand in time. */

import { flat, type RunStep } from './run';

/** A place on the line, as shares of its length. */
export interface Bar {
  from: number;
  to: number;
  /** It goes on: how far it will reach is not known. */
  open: boolean;
}

interface Span {
  from: number;
  to: number;
}

/** The most that a time in which nothing ran takes of the line: a person may take days to answer. */
const IDLE_SHARE_MAX = 0.06;
/** How much of the line is kept for what still runs. */
const OPEN_SHARE = 0.12;

/** The bar of each step, by its key. Steps that took no time have bars without length. */
export function barsOf(steps: readonly RunStep[]): Map<string, Bar> {
  const all = flat(steps);
  const spans = all.flatMap(({ start, end }) =>
    start !== null && end !== null ? [{ from: start, to: end }] : [],
  );
  const runs = all.some((step) => step.state === 'running');
  const place = placer(spans, runs ? 1 - OPEN_SHARE : 1);
  const bars = new Map<string, Bar>();
  const ends = new Map<string, number>();
  for (const step of all) {
    const came = Math.max(0, ...step.previous.map((id) => ends.get(id) ?? 0));
    const from = step.start === null ? came : place(step.start);
    const open = step.state === 'running';
    const to = open ? 1 : step.end === null ? from : place(step.end);
    bars.set(step.key, { from, to: Math.max(from, to), open });
    ends.set(step.nodeId, Math.max(from, to));
  }
  return bars;
}

/** Moments as shares of the line, on which times without any step are short. */
function placer(spans: readonly Span[], length: number): (moment: number) => number {
  const busy = merged(spans);
  const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const idleMax = Math.max(worked * IDLE_SHARE_MAX, 1);
  const pieces: { from: number; to: number; at: number; wide: number }[] = [];
  let at = 0;
  for (const [index, { from, to }] of busy.entries()) {
    const before = busy[index - 1];
    if (before) {
      const wide = Math.min(from - before.to, idleMax);
      pieces.push({ from: before.to, to: from, at, wide });
      at += wide;
    }
    pieces.push({ from, to, at, wide: to - from });
    at += to - from;
  }
  const whole = at;
  return (moment) => {
    const piece = pieces[lastFrom(pieces, moment)];
    if (!piece || whole === 0) return 0;
    const share = piece.to > piece.from ? Math.min(1, (moment - piece.from) / (piece.to - piece.from)) : 1;
    return ((piece.at + share * piece.wide) / whole) * length;
  };
}

/** Which of the pieces, that follow one another, is the last to have begun; -1 when none has. */
function lastFrom(pieces: readonly Span[], moment: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.from ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else out.push({ ...span });
  }
  return out;
}
