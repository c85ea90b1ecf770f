import { Command } from 'cmdk';
import { Search, type LucideIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { t } from '../i18n';
import css from './CommandMenu.module.css';
import { cx } from './cx';
import { Kbd } from './Kbd';
import menu from './Menu.module.css';
import { useOpener } from './opener';

export interface CommandItem {
  id: string;
  label: string;
  group: string;
  icon?: LucideIcon;
  hint?: string;
  shortcut?: string;
  /** More words that find it. */
  keywords?: string[];
  run: () => void;
}

export interface CommandMenuProps {
  open: boolean;
  onClose: () => void;
  items: readonly CommandItem[];
  label: string;
  placeholder: string;
  /** Words typed, for menus that search elsewhere as well. */
  onSearch?: (text: string) => void;
}

function Panel(props: ComponentProps<typeof Dialog.Content>): ReactNode {
  return <Dialog.Content onCloseAutoFocus={useOpener()} {...props} />;
}

/** A search over actions: the page's command menu, and the canvas's search of nodes. */
export function CommandMenu({
  open,
  onClose,
  items,
  label,
  placeholder,
  onSearch,
}: CommandMenuProps): ReactNode {
  const [text, setText] = useState('');
  const groups = [...new Set(items.map((item) => item.group))];
  const search = (next: string): void => {
    setText(next);
    onSearch?.(next);
  };
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) {
          search('');
          onClose();
        }
      }}
    >
      <Dialog.Portal>
        <Dialog.Overlay className={css.overlay} />
        <Panel className={css.panel} aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          <Command label={label} loop>
            <div className={css.head}>
              <Search size={16} aria-hidden />
              <Command.Input
                className={css.input}
                value={text}
                onValueChange={search}
                placeholder={placeholder}
              />
            </div>
            <Command.List className={css.list}>
              <Command.Empty className={css.empty}>{t('kit.nothingFound')}</Command.Empty>
              {groups.map((group) => (
                <Command.Group key={group} heading={group} className={css.group}>
                  {items
                    .filter((item) => item.group === group)
                    .map((item) => (
                      <Command.Item
                        key={item.id}
                        value={item.id}
                        keywords={[item.label, item.hint ?? '', ...(item.keywords ?? [])]}
                        className={cx(menu.item, css.item)}
                        onSelect={() => {
                          search('');
                          onClose();
                          item.run();
                        }}
                      >
                        {item.icon && <item.icon size={15} aria-hidden className={menu.icon} />}
                        <span className={css.label}>{item.label}</span>
                        {item.hint && <span className={css.hint}>{item.hint}</span>}
                        {item.shortcut && <Kbd keys={item.shortcut} />}
                      </Command.Item>
                    ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Panel>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
