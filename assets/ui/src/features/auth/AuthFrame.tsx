import type { ReactNode } from 'react';
import { useTitle } from '../../ui';
import css from './Auth.module.css';

export interface AuthFrameProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  /** A line below the card. */
  below?: ReactNode;
}

/** The frame of the pages before sign-in: one card in the middle. */
export function AuthFrame({ title, text, children, below }: AuthFrameProps): ReactNode {
  useTitle(title);
  return (
    <main className={css.page}>
      <div className={css.column}>
        <img src="/favicon.svg" width={40} height={40} alt="" className={css.mark} />
        <h1 className={css.title}>{title}</h1>
        {text && <p className={css.text}>{text}</p>}
        <div className={css.card}>{children}</div>
        {below && <p className={css.below}>{below}</p>}
      </div>
    </main>
  );
}
