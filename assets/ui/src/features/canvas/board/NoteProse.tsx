import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { cx } from '../../../ui';
import { markdown } from '../../../ui/markdown';
import prose from '../../../ui/Prose.module.css';
import css from './Canvas.module.css';

/** Markdown on the canvas. Nothing in it is a stop of the keyboard: the note itself is. */
export default function NoteProse({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const words = markdown(text);
    for (const one of words.querySelectorAll<HTMLElement>('[tabindex], a')) one.tabIndex = -1;
    box.current?.replaceChildren(words);
  }, [text]);
  return <div ref={box} className={cx(prose.prose, css.noteProse)} />;
}
