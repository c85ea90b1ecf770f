import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { loadPart } from '../core/parts';
import { Skeleton } from './States';

/** A part of a screen that is loaded when it is first shown. */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  waiting: ReactNode = <Skeleton lines={6} height={20} />,
): (props: Props) => ReactNode {
  const Part = lazy(() => loadPart(load)) as unknown as ComponentType<Props>;
  return function Later(props: Props): ReactNode {
    return (
      <Suspense fallback={waiting}>
        <Part {...props} />
      </Suspense>
    );
  };
}
