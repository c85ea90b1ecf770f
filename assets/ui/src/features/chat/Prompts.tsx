import type { ReactNode } from 'react';
import { Button } from '../../ui';
import css from './Chat.module.css';

/** Questions to ask with one click. */
export function Prompts(props: {
  label: string;
  prompts: readonly string[];
  onPick: (prompt: string) => void;
}): ReactNode {
  const { label, prompts, onPick } = props;
  if (prompts.length === 0) return null;
  return (
    <ul className={css.prompts} aria-label={label}>
      {prompts.map((prompt) => (
        <li key={prompt}>
          <Button size="compact" className={css.prompt} onClick={() => onPick(prompt)}>
            {prompt}
          </Button>
        </li>
      ))}
    </ul>
  );
}
