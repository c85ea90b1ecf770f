import { createContext, use } from 'react';
import type { NodeMark, RunState } from './slots';

/** How nodes look at the moment. Beside the nodes, so that a choice does not draw all of them anew. */
export interface Look {
  selected: string | null;
  /** The one node that Tab reaches. */
  stop: string | null;
  marks: ReadonlyMap<string, NodeMark>;
  run: ReadonlyMap<string, RunState>;
  problems: ReadonlyMap<string, readonly string[]>;
  open: (id: string) => void;
  touched: (id: string) => void;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

export const LookContext = createContext<Look>({
  selected: null,
  stop: null,
  marks: none,
  run: none,
  problems: none,
  open: () => undefined,
  touched: () => undefined,
});

export const useLook = (): Look => use(LookContext);
