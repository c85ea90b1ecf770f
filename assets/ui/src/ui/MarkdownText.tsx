import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { markdown } from './markdown';
import prose from './Prose.module.css';

/** Text of a model: nodes that were made safe, never markup of its own. */
export function MarkdownText({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.replaceChildren(markdown(text));
  }, [text]);
  return <div ref={box} className={prose.prose} />;
}
