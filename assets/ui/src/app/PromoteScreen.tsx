import type { ReactNode } from 'react';
import { diffCanvas } from '../core/canvasDiff';
import { CanvasView } from '../features/canvas/board/CanvasView';
import type { PromoteParts } from '../features/promote/parts';
import { PromoteFlow } from '../features/promote/PromoteFlow';
import { withValues } from '../features/versions/versions';
import { later } from '../ui';
import type { ScreenProps } from './screen';

const CheckPanel = later(() => import('../features/check/CheckPanel'));
const CheckLine = later(() => import('../features/check/CheckLine'), null);
const Canvases = later(() => import('../features/versions/DraftCanvases'));

/** What the features put into the page of a version from Dev: the one place where they meet. */
const parts: PromoteParts = {
  Check: ({ flow, ...props }) => <CheckPanel {...props} flow={{ id: flow }} source="incoming" />,
  CheckLine: (props) => <CheckLine {...props} source="incoming" />,
  Canvases: (props) => <Canvases {...props} Canvas={CanvasView} />,
  NewCredential: later(() => import('../features/credentials/CredentialForCard'), null),
  compare: (told, before, after) => withValues(told, diffCanvas(before, after)),
};

export default function PromoteScreen({ params }: ScreenProps): ReactNode {
  const { id = '' } = params;
  return <PromoteFlow key={id} id={id} parts={parts} />;
}
