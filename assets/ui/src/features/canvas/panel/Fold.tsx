import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Panel.module.css';

/** A part of the panel that is folded away until somebody wants it. */
export function Fold({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <details className={css.more}>
      <summary>
        <ChevronRight size={14} aria-hidden />
        {title}
      </summary>
      <div className={css.moreFields}>{children}</div>
    </details>
  );
}
