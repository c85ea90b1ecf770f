import type { ReactNode } from 'react';
import { Skeleton } from '../../ui';
import css from './FlowPage.module.css';

export function FlowSkeleton(): ReactNode {
  return (
    <div className={css.waiting}>
      <Skeleton height={24} />
      <Skeleton height={320} />
    </div>
  );
}
