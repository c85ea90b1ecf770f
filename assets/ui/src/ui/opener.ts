import { useState } from 'react';

const DIALOGS = '[role="dialog"], [role="alertdialog"]';

/** What had the focus when the last dialog was opened from the page itself. */
let outside: Element | null = null;

/**
 * What had the focus when the component appeared gets it back when a dialog closes; when that is gone, what opened the
 * dialog before this one, else the page itself. A dialog that took the place of this one keeps the focus, and so does
 * what the dialog led to. Use it in a component that is mounted only while the dialog is open.
 */
export function useOpener(): (event: Event) => void {
  const [openers] = useState(() => {
    const at = document.activeElement;
    if (!at?.closest(DIALOGS)) outside = at;
    return [at, outside];
  });
  return (event) => {
    event.preventDefault();
    const at = document.activeElement;
    if (at && at !== document.body && !at.closest(DIALOGS)) return;
    const there = openers.find(
      (one): one is HTMLElement => one instanceof HTMLElement && one.isConnected && one !== document.body,
    );
    const target = there ?? document.querySelector<HTMLElement>('main');
    const open = document.querySelector(DIALOGS);
    if (open && !target?.closest(DIALOGS)) return;
    target?.focus();
  };
}
