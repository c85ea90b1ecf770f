import type { ReactNode } from 'react';
import { CopyButton } from './CopyButton';
import { scrollRegion } from './scrollRegion';
import css from './Snippet.module.css';

export interface SnippetProps {
  /** What it is: its heading. */
  label: string;
  text: string;
  /** "Copy the result". */
  copy: string;
  /** Beside the heading. */
  aside?: ReactNode;
  /** Shown in the place of an empty text. */
  empty?: string;
}

/** A text to look at and to take away. */
export function Snippet({ label, text, copy, aside, empty }: SnippetProps): ReactNode {
  return (
    <section className={css.snippet} aria-label={label}>
      <div className={css.head}>
        <p className={css.label}>{label}</p>
        {aside}
        {text !== '' && <CopyButton text={text} label={copy} />}
      </div>
      <pre ref={scrollRegion} className={css.text}>
        {text === '' ? empty : text}
      </pre>
    </section>
  );
}
