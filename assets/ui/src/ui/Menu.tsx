import { Check, ChevronRight, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Dropdown } from 'radix-ui';
import { createContext, use, useMemo, useRef, type ReactNode } from 'react';
import { cx } from './cx';
import { Kbd } from './Kbd';
import css from './Menu.module.css';

export interface MenuAction {
  label: string;
  icon?: LucideIcon;
  onSelect?: () => void;
  /** A second line, for instance why it is disabled. */
  hint?: string;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Shows a check mark: this is one of a choice. */
  checked?: boolean;
  /** A menu inside the menu. */
  items?: readonly MenuEntry[];
}

export type MenuEntry = MenuAction | { heading: string } | 'separator' | false | null | undefined;

export interface MenuProps {
  /** The button that opens it. */
  children: ReactNode;
  items: readonly MenuEntry[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  label?: string;
}

/**
 * What an item does happens once the menu is gone and focus is back at the opener: a dialog that it opens then
 * knows where to give the focus back.
 */
export const Later = createContext<(action: () => void) => void>((action) => action());

export function useLater(): { later: (action: () => void) => void; onCloseAutoFocus: () => void } {
  const waiting = useRef<(() => void) | null>(null);
  return useMemo(
    () => ({
      later: (action) => {
        waiting.current = action;
      },
      onCloseAutoFocus: () => {
        const action = waiting.current;
        waiting.current = null;
        if (action) setTimeout(action);
      },
    }),
    [],
  );
}

export function Menu(props: MenuProps): ReactNode {
  const { children, items, align = 'end', side, label } = props;
  const { later, onCloseAutoFocus } = useLater();
  return (
    <Dropdown.Root>
      <Dropdown.Trigger asChild>{children}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content
          className={css.menu}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <Later value={later}>
            <Entries items={items} kit={Dropdown as unknown as Kit} />
          </Later>
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

/** The parts both menus share. */
export type Kit = Pick<
  typeof Dropdown,
  | 'Item'
  | 'CheckboxItem'
  | 'ItemIndicator'
  | 'Label'
  | 'Separator'
  | 'Sub'
  | 'SubTrigger'
  | 'SubContent'
  | 'Portal'
>;

export function Entries({ items, kit }: { items: readonly MenuEntry[]; kit: Kit }): ReactNode {
  return items.map((entry, at) => {
    if (!entry) return null;
    if (entry === 'separator') return <kit.Separator key={at} className={css.separator} />;
    if ('heading' in entry) {
      return (
        <kit.Label key={at} className={css.heading}>
          {entry.heading}
        </kit.Label>
      );
    }
    return <Entry key={at} entry={entry} kit={kit} />;
  });
}

function Entry({ entry, kit }: { entry: MenuAction; kit: Kit }): ReactNode {
  const { icon: Icon, label, hint, shortcut, danger, disabled, checked, items } = entry;
  const later = use(Later);
  const onSelect = (): void => entry.onSelect && later(entry.onSelect);
  const name = cx(css.item, danger && css.danger);
  const body = (
    <>
      {Icon && <Icon size={15} aria-hidden className={css.icon} />}
      <span className={css.text}>
        {label}
        {hint && <span className="note">{hint}</span>}
      </span>
      {shortcut && <Kbd keys={shortcut} />}
    </>
  );
  if (items) {
    return (
      <kit.Sub>
        <kit.SubTrigger className={name} disabled={disabled}>
          {body}
          <ChevronRight size={14} aria-hidden className={css.icon} />
        </kit.SubTrigger>
        <kit.Portal>
          <kit.SubContent className={css.menu} sideOffset={4} collisionPadding={8}>
            <Entries items={items} kit={kit} />
          </kit.SubContent>
        </kit.Portal>
      </kit.Sub>
    );
  }
  if (checked !== undefined) {
    return (
      <kit.CheckboxItem className={name} checked={checked} disabled={disabled} onSelect={onSelect}>
        {body}
        <kit.ItemIndicator>
          <Check size={14} aria-hidden />
        </kit.ItemIndicator>
      </kit.CheckboxItem>
    );
  }
  return (
    <kit.Item className={name} disabled={disabled} onSelect={onSelect}>
      {body}
    </kit.Item>
  );
}
