import { createContext, use } from 'react';
import type { End } from '../document/rules';
import type { CanvasRun, NodeMark, NodeProblems } from '../slots';

/** How nodes look at the moment. Beside the nodes, so that a choice does not draw all of them anew. */
export interface Look {
  /** The node whose settings are open. */
  selected: string | null;
  /** The one node that Tab reaches. */
  stop: string | null;
  marks: ReadonlyMap<string, NodeMark>;
  run: CanvasRun | null;
  problems: ReadonlyMap<string, NodeProblems>;
  open: (id: string, event: React.MouseEvent) => void;
  touched: (id: string) => void;
  /** Whether it is drawn on. */
  editable: boolean;
  /** The end that a connection is being drawn from. */
  from: End | null;
  /** The ends that would take it, by `endKey`. */
  fits: ReadonlySet<string>;
  /** An end was clicked. */
  pick: (end: End) => void;
  resize: (id: string, size: { x: number; y: number; width: number; height: number }) => void;
}

export const endKey = ({ node, handle, side }: End): string => `${side} ${node} ${handle}`;

const none: ReadonlyMap<string, never> = new Map<string, never>();
const nothing = (): void => undefined;

export const still: Look = {
  selected: null,
  stop: null,
  marks: none,
  run: null,
  problems: none,
  open: nothing,
  touched: nothing,
  editable: false,
  from: null,
  fits: new Set(),
  pick: nothing,
  resize: nothing,
};

export const LookContext = createContext<Look>(still);

export const useLook = (): Look => use(LookContext);
