import type { ReactNode } from 'react';
import type { CanvasViewProps } from './slots';

export default function Canvas({ label }: CanvasViewProps): ReactNode {
  return <div role="group" aria-label={label} />;
}
