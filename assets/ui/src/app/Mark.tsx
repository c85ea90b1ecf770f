import type { ReactNode } from 'react';

/** Our own mark; the words beside it say the name. */
export function Mark({ size = 24 }: { size?: number }): ReactNode {
  return <img src="/favicon.svg" width={size} height={size} alt="" />;
}
