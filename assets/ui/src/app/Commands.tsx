import { useEffect, type ReactNode } from 'react';
import { isTyping } from '../core/actions';
import { later } from '../ui';
import { Shortcuts, showShortcuts } from './Shortcuts';

const CommandList = later(() => import('./CommandList'), null);

/** The command menu (Ctrl K), and the list of shortcuts (?). */
export function Commands({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}): ReactNode {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.shiftKey &&
        !event.altKey &&
        event.key.toLowerCase() === 'k'
      ) {
        event.preventDefault();
        onOpenChange(!open);
      } else if (event.key === '?' && !isTyping(event.target)) {
        event.preventDefault();
        showShortcuts();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open, onOpenChange]);
  return (
    <>
      {open && <CommandList onClose={() => onOpenChange(false)} />}
      <Shortcuts />
    </>
  );
}
