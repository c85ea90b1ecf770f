import type { ComponentType } from 'react';
import type { VersionDiff } from '../../api/versions';
import type { CanvasDiff } from '../../core/canvasDiff';

/** What other features put into the page of a version from Dev, loaded when it is first shown. */
export interface PromoteParts {
  /** The check of the version against Live. */
  Check: ComponentType<{
    flow: string;
    goToNode: (id: string) => void;
    /** Something was typed that is lost when this goes. */
    onTyped: (typed: boolean) => void;
  }>;
  /** The newest check in a line. */
  CheckLine: ComponentType<{ flow: string; onOpen: () => void }>;
  /** Live and the version beside each other. */
  Canvases: ComponentType<{
    /** Null where there is none, or no room for it. */
    before: string | null;
    after: string;
    afterName: string;
    diff: CanvasDiff;
    selected: string | null;
    onSelect: (id: string | null) => void;
  }>;
  /** Makes a credential of a kind, under a name. */
  NewCredential: ComponentType<{
    kinds: readonly string[];
    name: string;
    onClose: () => void;
    onMade: (id: string) => void;
  }>;
  /** What the service says differs, with the values of both canvases. */
  compare: (told: VersionDiff, before: string | null, after: string) => CanvasDiff;
}
