import { useReactFlow } from '@xyflow/react';
import { useCallback, useMemo } from 'react';
import { nextTo, type Direction } from '../../../core/nodes';
import { useMedia } from '../../../ui';

export interface Moves {
  fit: () => void;
  /** Whether every node lies within what a frame of this width shows. */
  seesAll: (width: number) => boolean;
  zoomIn: () => void;
  zoomOut: () => void;
  zoomOne: () => void;
  /** Fills the view with one node, as far as it is then drawn in full size. */
  zoomOn: (id: string) => void;
  /** Brings a node into view when it is not. */
  show: (id: string) => void;
  /** Puts the focus on a node. */
  focus: (id: string | null | undefined) => void;
  /** The node that lies next in a direction. */
  next: (from: string, all: readonly string[], direction: Direction) => string | null;
  /** The middle of a node, on the canvas. */
  middle: (id: string) => { x: number; y: number } | null;
  /** The middle of what is seen, on the canvas. */
  centre: () => { x: number; y: number };
}

/** Moving the view, and the focus among nodes. */
export function useMoves(box: React.RefObject<HTMLDivElement | null>, touched: (id: string) => void): Moves {
  const {
    fitView,
    zoomIn,
    zoomOut,
    zoomTo,
    getInternalNode,
    setCenter,
    getZoom,
    screenToFlowPosition,
    ...flow
  } = useReactFlow();
  const { getNodes, getNodesBounds, getViewport } = flow;
  const still = useMedia('(prefers-reduced-motion: reduce)');
  const duration = still ? 0 : 180;
  const middle = useCallback(
    (id: string): { id: string; x: number; y: number } | null => {
      const inner = getInternalNode(id);
      if (!inner) return null;
      const { x, y } = inner.internals.positionAbsolute;
      return { id, x: x + (inner.measured.width ?? 0) / 2, y: y + (inner.measured.height ?? 0) / 2 };
    },
    [getInternalNode],
  );
  return useMemo(() => {
    const faceOf = (id: string): HTMLElement | null | undefined =>
      box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`);
    const show = (id: string): void => {
      const face = faceOf(id)?.getBoundingClientRect();
      const frame = box.current?.getBoundingClientRect();
      const at = middle(id);
      if (!frame || !at) return;
      const inside =
        face &&
        face.left >= frame.left &&
        face.right <= frame.right &&
        face.top >= frame.top &&
        face.bottom <= frame.bottom;
      if (!inside) void setCenter(at.x, at.y, { zoom: Math.max(getZoom(), 0.6), duration });
    };
    return {
      fit: () => void fitView({ duration, padding: 0.15, maxZoom: 1 }),
      seesAll: (width) => {
        const nodes = getNodes();
        const height = box.current?.clientHeight ?? 0;
        const { x, y, zoom } = getViewport();
        const all = getNodesBounds(nodes);
        const [left, top] = [all.x * zoom + x, all.y * zoom + y];
        const [right, bottom] = [left + all.width * zoom, top + all.height * zoom];
        return nodes.length > 0 && left >= 0 && top >= 0 && right <= width && bottom <= height;
      },
      zoomIn: () => void zoomIn({ duration }),
      zoomOut: () => void zoomOut({ duration }),
      zoomOne: () => void zoomTo(1, { duration }),
      zoomOn: (id) => void fitView({ nodes: [{ id }], duration, padding: 0.3, maxZoom: 1.5 }),
      show,
      middle,
      focus: (id) => {
        if (!id) return;
        touched(id);
        show(id);
        faceOf(id)?.focus({ preventScroll: true });
      },
      next: (from, all, direction) => {
        const here = middle(from);
        return here
          ? nextTo(
              here,
              all.map(middle).filter((one) => one !== null),
              direction,
            )
          : null;
      },
      centre: () => {
        const frame = box.current?.getBoundingClientRect();
        if (!frame) return { x: 0, y: 0 };
        return screenToFlowPosition({ x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 });
      },
    };
  }, [
    box,
    touched,
    duration,
    middle,
    fitView,
    zoomIn,
    zoomOut,
    zoomTo,
    setCenter,
    getZoom,
    getNodes,
    getNodesBounds,
    getViewport,
    screenToFlowPosition,
  ]);
}
