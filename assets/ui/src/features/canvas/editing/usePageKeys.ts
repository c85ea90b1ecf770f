import { useEffect, useMemo, useRef } from 'react';
import type { ShortcutGroup } from '../../../core/actions';
import { useShortcuts } from '../../../ui';
import { t } from '../words';

/** What a key pressed with Ctrl, or with Command on a Mac, does on the whole page of a flow. */
export type PageKeys = Readonly<Record<string, () => void>>;

/** Hears keys all over the page, but not those that something below took, nor those pressed in a dialog. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey))
        return;
      const run = latest.current[event.key.toLowerCase()];
      if (!run) return;
      // The browser would offer to keep the page as a file, whoever has the focus.
      event.preventDefault();
      if (event.target instanceof Element && event.target.closest('[role=dialog], [role=alertdialog]'))
        return;
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** The keys of the page of a flow, as the list of shortcuts names them. */
export function usePageShortcuts(mayEdit: boolean): void {
  const list = useMemo<ShortcutGroup[]>(
    () => [
      {
        title: t('canvas.flow'),
        keys: [
          ...(mayEdit ? [{ keys: 'Mod+S', label: t('canvas.saveNow') }] : []),
          { keys: 'Mod+Enter', label: t('canvas.testFlow') },
        ],
      },
    ],
    [mayEdit],
  );
  useShortcuts(list);
}
