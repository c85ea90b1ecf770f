import { Square } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './Button';
import css from './JobLine.module.css';

export interface JobLineProps {
  /** How far it is: told when it changes. */
  words: string;
  /** What else is to be known; not told again and again. */
  more?: ReactNode;
  /** How much of how much is done, where that is known. */
  of?: { done: number; total: number };
  /** The button that ends it, for who may. */
  stop?: { label: string; busy?: boolean; onClick: () => void };
}

/** How far something is that takes a while. */
export function JobLine({ words, more, of, stop }: JobLineProps): ReactNode {
  return (
    <div className={css.job}>
      <progress
        className={css.bar}
        aria-label={words}
        {...(of ? { value: of.done, max: of.total || 1 } : {})}
      />
      <p className={css.words}>
        <span role="status">{words}</span> {more && <span className="muted">{more}</span>}
      </p>
      {stop && (
        <Button size="compact" icon={Square} busy={stop.busy} onClick={stop.onClick}>
          {stop.label}
        </Button>
      )}
    </div>
  );
}
