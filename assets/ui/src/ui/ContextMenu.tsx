import { ContextMenu as Context } from 'radix-ui';
import type { ReactNode } from 'react';
import { Entries, Later, useLater, type Kit, type MenuProps } from './Menu';
import css from './Menu.module.css';

/** The menu that a right click opens. It stands apart from `Menu`, which every page loads. */
export function ContextMenu({ children, items, label }: Omit<MenuProps, 'align' | 'side'>): ReactNode {
  const { later, onCloseAutoFocus } = useLater();
  return (
    <Context.Root>
      <Context.Trigger asChild>{children}</Context.Trigger>
      <Context.Portal>
        <Context.Content
          className={css.menu}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <Later value={later}>
            <Entries items={items} kit={Context as unknown as Kit} />
          </Later>
        </Context.Content>
      </Context.Portal>
    </Context.Root>
  );
}
