import { lazy, Suspense, type ReactNode } from 'react';
import { loadPart } from '../../../core/parts';
import { Skeleton } from '../../../ui';
import css from '../FlowPage.module.css';
import type { CanvasViewProps } from '../slots';

const Canvas = lazy(() => loadPart(() => import('./Canvas')));

/** The read-only canvas; its library is loaded when the first one is drawn. */
export function CanvasView(props: CanvasViewProps): ReactNode {
  return (
    <Suspense
      fallback={
        <div className={css.waiting}>
          <Skeleton lines={3} />
        </div>
      }
    >
      <Canvas {...props} />
    </Suspense>
  );
}
