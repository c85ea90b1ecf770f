import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Lists up to this many rows are built whole. */
const WHOLE = 100;
/** Rows this far beyond the page, in pixels, have to be there; so far they are built when some are missing. */
const [NEEDED, BUILT] = [200, 600];
/** Rows built before anything is measured. */
const FIRST = 40;

/** Rows that are built, one after the other, and the height in pixels of those left out before them. */
export interface RowRun {
  space: number;
  from: number;
  to: number;
}

export interface RowWindow<Box> {
  /** Goes to what holds the rows; each of them says its place in the list as `data-at`. */
  box: RefObject<Box | null>;
  runs: readonly RowRun[];
  /** The height of those left out after the last. */
  after: number;
  /** Some rows are left out. */
  parted: boolean;
}

interface Lines {
  from: number;
  to: number;
  /** Rows in a line: a grid has several. */
  across: number;
  runs: readonly RowRun[];
  after: number;
}

/** What is built now: which lines, and from where to where they reach below the beginning of the list, in pixels. */
interface Built {
  from: number;
  to: number;
  across: number;
  count: number;
  top: number;
  bottom: number;
}

/**
 * Which rows of a long list are built: those that one sees, some around them, and the one that holds the focus, so that
 * scrolling does not lose it. Rows may differ in height; those not seen yet count as high as the mean of the others.
 *
 * `guess` is the height of a row in pixels, before any was measured.
 */
export function useRowWindow<Box extends HTMLElement>(count: number, guess: number): RowWindow<Box> {
  const box = useRef<Box>(null);
  const sizes = useRef<number[]>([]);
  const parted = count > WHOLE;
  const [lines, setLines] = useState<Lines>(() => ({
    from: 0,
    to: FIRST,
    across: 1,
    runs: [{ space: 0, from: 0, to: FIRST }],
    after: (count - FIRST) * guess,
  }));
  const built = useRef<Built | null>(null);

  /** Measures what is built, and builds other rows where some are missing. */
  const look = useCallback((): void => {
    const element = box.current;
    if (!element || !parted) return;
    const { across, gap } = layoutOf(element);
    if (built.current && built.current.across !== across) sizes.current = [];
    measure(element, sizes.current, across, gap);
    const total = Math.ceil(count / across);
    const known = sizes.current.filter(Boolean);
    const mean = known.length > 0 ? known.reduce((sum, one) => sum + one, 0) / known.length : guess;
    const size = (line: number): number => sizes.current[line] ?? mean;
    const reach = (from: number, to: number): Built => ({
      from,
      to,
      across,
      count,
      top: from === 0 ? -Infinity : heightOf(0, from, size),
      bottom: to >= total ? Infinity : heightOf(0, to, size),
    });
    const now = built.current;
    if (now?.count === count && now.across === across) {
      built.current = reach(now.from, now.to);
      if (suffices(built.current, element)) return;
    }
    const top = -element.getBoundingClientRect().top;
    const [from, to] = linesBetween(top - BUILT, top + innerHeight + BUILT, total, size);
    built.current = reach(from, to);
    setLines({
      from,
      to,
      across,
      ...runsOf(from, to, heldLine(element, across), total, count, across, size),
    });
  }, [parted, count, guess]);

  useLayoutEffect(look, [look, lines]);
  useEffect(() => {
    const element = box.current;
    if (!element || !parted) return;
    // Most steps of a scroll need nothing: they cost one look at where the list is.
    const scrolled = (): void => {
      if (!built.current || !suffices(built.current, element)) look();
    };
    // Rows become higher by what is opened in them, or by a narrower page.
    const watch = new ResizeObserver(look);
    watch.observe(element);
    // Whatever scrolls: the page, or a part of it that the list knows nothing of.
    addEventListener('scroll', scrolled, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      watch.disconnect();
      removeEventListener('scroll', scrolled, { capture: true });
      removeEventListener('resize', look);
    };
  }, [look, parted]);

  if (!parted) return { box, runs: [{ space: 0, from: 0, to: count }], after: 0, parted };
  // The list may have become shorter since it was looked at.
  const runs = lines.runs.map((run) => ({
    ...run,
    from: Math.min(run.from, count),
    to: Math.min(run.to, count),
  }));
  return { box, runs, after: lines.after, parted };
}

/** Whether all that has to be there is built, wherever the list is now. */
function suffices({ top, bottom }: Built, element: HTMLElement): boolean {
  const at = -element.getBoundingClientRect().top;
  return top <= at - NEEDED && at + innerHeight + NEEDED <= bottom;
}

/** The line of the row that has the focus. */
function heldLine(element: HTMLElement, across: number): number | null {
  const active = document.activeElement;
  const row = element.contains(active) ? active?.closest<HTMLElement>('[data-at]') : null;
  return row ? Math.floor(Number(row.dataset.at) / across) : null;
}

function heightOf(first: number, end: number, size: (line: number) => number): number {
  let sum = 0;
  for (let line = first; line < end; line += 1) sum += size(line);
  return sum;
}

function layoutOf(element: HTMLElement): { across: number; gap: number } {
  const style = getComputedStyle(element);
  if (style.display !== 'grid') return { across: 1, gap: 0 };
  const columns = style.gridTemplateColumns.split(' ').filter((one) => /^[\d.]+px$/.test(one)).length;
  return { across: Math.max(1, columns), gap: Number.parseFloat(style.rowGap) || 0 };
}

/** Notes how high the lines are that are built. */
function measure(element: HTMLElement, sizes: number[], across: number, gap: number): void {
  for (const row of element.querySelectorAll<HTMLElement>('[data-at]')) {
    const { height } = row.getBoundingClientRect();
    if (height > 0) sizes[Math.floor(Number(row.dataset.at) / across)] = height + gap;
  }
}

/** The first line that reaches below `top`, and the first that begins below `bottom`; at least one line in any case. */
function linesBetween(
  top: number,
  bottom: number,
  total: number,
  size: (line: number) => number,
): [number, number] {
  let [line, at] = [0, 0];
  while (line < total - 1 && at + size(line) <= top) at += size(line++);
  const first = line;
  while (line < total && at < bottom) at += size(line++);
  return [first, Math.max(line, first + 1)];
}

function runsOf(
  from: number,
  to: number,
  held: number | null,
  total: number,
  count: number,
  across: number,
  size: (line: number) => number,
): Pick<Lines, 'runs' | 'after'> {
  const ranges: [number, number][] = [[from, to]];
  if (held !== null && held < from) ranges.unshift([held, held + 1]);
  if (held !== null && held >= to && held < total) ranges.push([held, held + 1]);
  const height = (first: number, end: number): number => Math.round(heightOf(first, end, size));
  let done = 0;
  const runs = ranges.map(([first, end]) => {
    const space = height(done, first);
    done = end;
    return { space, from: first * across, to: Math.min(count, end * across) };
  });
  return { runs, after: height(done, total) };
}
