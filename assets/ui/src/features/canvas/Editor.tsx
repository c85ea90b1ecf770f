import type { ReactNode } from 'react';
import { t } from '../../i18n';
import type { FlowSlotProps, RunState } from './slots';
import type { Editing } from './useEditing';

export interface EditorProps extends FlowSlotProps {
  editing: Editing;
  selected: string | null;
  onSelect: (id: string | null) => void;
  run: ReadonlyMap<string, RunState> | null;
}

export function Editor({ flow, status, Canvas }: EditorProps): ReactNode {
  return <Canvas flowData={status.draft?.flowData ?? flow.flowData} label={t('canvas.canvas')} />;
}
