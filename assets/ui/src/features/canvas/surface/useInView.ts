import { useEffect, type RefObject } from 'react';
import { useStable } from './useStable';

/** A panel that opens takes room: what it is about stays in view. */
export function useInView(
  box: RefObject<HTMLElement | null>,
  selected: string | null,
  show: (id: string) => void,
): void {
  const showSelected = useStable(() => {
    if (selected) show(selected);
  });
  useEffect(() => {
    const frame = box.current;
    if (!frame) return;
    let width = frame.clientWidth;
    const watch = new ResizeObserver(() => {
      if (frame.clientWidth < width) showSelected();
      width = frame.clientWidth;
    });
    watch.observe(frame);
    return () => watch.disconnect();
  }, [box, showSelected]);
}
