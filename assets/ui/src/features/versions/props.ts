import type { ComponentType } from 'react';
import type { DraftStatus, Flow } from '../../api/models';
import type { CompareCanvas } from './Canvases';

export interface VersionsProps {
  flow: Flow;
  status: DraftStatus;
  mayEdit: boolean;
  unsaved: boolean;
  dropEdits: () => void;
  goToNode: (id: string) => void;
  Canvas: ComponentType<CompareCanvas>;
}
