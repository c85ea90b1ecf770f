import { useState } from 'react';

/**
 * What had the focus when the component appeared gets it back when a dialog closes; the page itself when that is
 * gone. Use it in a component that is mounted only while the dialog is open.
 */
export function useOpener(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    const there = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
    (there ? opener : document.querySelector<HTMLElement>('main'))?.focus();
  };
}
