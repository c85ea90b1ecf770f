import { lazy, Suspense, type ReactNode } from 'react';
import { loadPart } from '../../../core/parts';
import css from './Canvas.module.css';

const Prose = lazy(() => loadPart(() => import('./NoteProse')));

/** The words of a note. Plain ones need nothing more; what reads them as Markdown is loaded with the first that has some. */
export function NoteWords({ text }: { text: string }): ReactNode {
  if (!/[*_`#>[\]|~]|^\s*(?:[-+]|\d+\.)\s/m.test(text)) return <span className={css.plainNote}>{text}</span>;
  return (
    <Suspense fallback={<span className={css.plainNote}>{text}</span>}>
      <Prose text={text} />
    </Suspense>
  );
}
