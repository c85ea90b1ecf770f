import { useEffect, type RefObject } from 'react';
import type { Moves } from '../board/useMoves';
import { useStable } from './useStable';

/** A panel that opens takes room: what it is about stays in view, and of a canvas that was seen whole all of it. */
export function useInView(
  box: RefObject<HTMLElement | null>,
  selected: string | null,
  { show, fit, seesAll }: Pick<Moves, 'show' | 'fit' | 'seesAll'>,
): void {
  const makeRoom = useStable((width: number) => {
    if (selected) show(selected);
    else if (seesAll(width)) fit();
  });
  useEffect(() => {
    const frame = box.current;
    if (!frame) return;
    let width = frame.clientWidth;
    const watch = new ResizeObserver(() => {
      if (frame.clientWidth < width) makeRoom(width);
      width = frame.clientWidth;
    });
    watch.observe(frame);
    return () => watch.disconnect();
  }, [box, makeRoom]);
}
