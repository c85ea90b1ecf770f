import type { ReactNode } from 'react';
import { Skeleton } from '../ui';
import css from './Splash.module.css';

/** While a screen is on its way. */
export function Splash(): ReactNode {
  return (
    <div className={css.splash}>
      <Skeleton lines={5} height={20} />
    </div>
  );
}
