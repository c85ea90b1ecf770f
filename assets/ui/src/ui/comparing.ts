import type { ComponentType } from 'react';
import type { CanvasDiff } from '../core/canvasDiff';

/** What is put beside a canvas that may become Live, wherever that is decided: the same for a draft and for a version from Dev. */
export interface ComparingParts {
  /** The newest check in a line. */
  CheckLine: ComponentType<{ flow: string; onOpen: () => void }>;
  /** Live and what is to take its place beside each other. */
  Canvases: ComponentType<CanvasesProps>;
}

export interface CanvasesProps {
  /** Null where there is none, or no room for it. */
  before: string | null;
  after: string;
  /** What `after` is called, where it is not the draft. */
  afterName?: string;
  diff: CanvasDiff;
  selected: string | null;
  onSelect: (id: string | null) => void;
}
