import { Direction, Tooltip as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './Kbd';
import css from './Tooltip.module.css';

export interface TooltipProps {
  /** Never the only place where something is told. */
  text: string;
  shortcut?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

export const TooltipProvider = ({ children }: { children: ReactNode }): ReactNode => (
  <Primitive.Provider delayDuration={450} skipDelayDuration={150}>
    {children}
  </Primitive.Provider>
);

/** Tells the primitives which way the page reads: arrow keys and places of menus follow it. */
export const DirectionProvider = ({ children }: { children: ReactNode }): ReactNode => (
  <Direction.Provider dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}>
    {children}
  </Direction.Provider>
);

export function Tooltip({ text, shortcut, side = 'bottom', children }: TooltipProps): ReactNode {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content className={css.tooltip} side={side} sideOffset={6} collisionPadding={8}>
          {text}
          {shortcut && <Kbd keys={shortcut} />}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
