import type { ReactNode } from 'react';
import css from './Kbd.module.css';

const mac = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.userAgent);
const signs: Record<string, string> = mac
  ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↵', Plus: '+' }
  : { Mod: 'Ctrl', Enter: '↵', Plus: '+' };

/** Keys as `Mod+K`: `Mod` is Ctrl, or Command on a Mac. */
export function Kbd({ keys }: { keys: string }): ReactNode {
  return (
    <span className={css.keys}>
      {keys.split('+').map((key) => (
        <kbd key={key} className={css.key}>
          {signs[key] ?? key}
        </kbd>
      ))}
    </span>
  );
}
