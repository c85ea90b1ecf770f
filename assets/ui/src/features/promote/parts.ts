import type { ComponentType } from 'react';
import type { VersionDiff } from '../../api/versions';
import type { CanvasDiff } from '../../core/canvasDiff';
import type { ComparingParts } from '../../ui/comparing';

/** What other features put into the page of a version from Dev, loaded when it is first shown. */
export interface PromoteParts extends ComparingParts {
  /** The check of the version against Live. */
  Check: ComponentType<{
    flow: string;
    goToNode: (id: string) => void;
    /** Something was typed that is lost when this goes. */
    onTyped: (typed: boolean) => void;
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
