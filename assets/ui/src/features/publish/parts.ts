import type { ComponentType } from 'react';
import type { Flow } from '../../api/models';
import type { ComparingParts } from '../../ui/comparing';

/** What other features put into the dialog of Publish, loaded when it is first shown. */
export interface PublishParts extends ComparingParts {
  /** The check of the draft. */
  Check: ComponentType<{
    flow: Flow;
    goToNode: (id: string) => void;
    /** Something was typed that is lost when the dialog closes. */
    onTyped: (typed: boolean) => void;
  }>;
}
