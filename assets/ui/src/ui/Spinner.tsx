import type { ReactNode } from 'react';
import css from './Spinner.module.css';

/** Only beside words that say what runs. */
export function Spinner({ size = 14 }: { size?: number }): ReactNode {
  return (
    <svg className={css.spinner} width={size} height={size} viewBox="0 0 16 16" aria-hidden>
      <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <path
        d="M14.25 8A6.25 6.25 0 0 0 8 1.75"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}
