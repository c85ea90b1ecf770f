import type { ComponentType } from 'react';
import type { Flow } from '../../api/models';
import type { CanvasDiff } from '../../core/canvasDiff';

/** What other features put into the dialog of Publish, loaded when it is first shown. */
export interface PublishParts {
  /** The check of the draft. */
  Check: ComponentType<{
    flow: Flow;
    goToNode: (id: string) => void;
    /** Something was typed that is lost when the dialog closes. */
    onTyped: (typed: boolean) => void;
  }>;
  /** The newest check in a line. */
  CheckLine: ComponentType<{ flow: string; onOpen: () => void }>;
  /** Live and the draft beside each other. */
  Canvases: ComponentType<{
    /** Null where there is no room for it. */
    before: string | null;
    after: string;
    diff: CanvasDiff;
    selected: string | null;
    onSelect: (id: string | null) => void;
  }>;
}
