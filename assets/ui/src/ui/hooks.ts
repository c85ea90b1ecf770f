import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { actions, shortcuts, type Action, type ShortcutGroup } from '../core/actions';
import { serviceNow } from '../core/clock';
import { readPref, subscribePrefs, writePref } from '../core/prefs';
import { holdUnsaved } from '../core/unsaved';

/** Offers actions in the command menu while the component is shown. Give it a list from `useMemo`. */
export function useActions(list: readonly Action[]): void {
  useEffect(() => actions.add(list), [list]);
}

/** Lists shortcuts of a screen under `?`. Give it a constant list. */
export function useShortcuts(list: readonly ShortcutGroup[]): void {
  useEffect(() => shortcuts.add(list), [list]);
}

const isAt = (to: string, home: string): boolean => {
  const path = to.split(/[?#]/)[0] ?? '';
  return path === home || path.startsWith(`${home}/`);
};

/** While there are unsaved edits, asks whoever leaves `home`, an address of the app with all below it, or closes the page. */
export function useUnsaved(unsaved: boolean, home: string): void {
  // Gone before what is drawn next can redirect: edits that are lost already hold nobody.
  useLayoutEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    const release = holdUnsaved({ stays: (to) => isAt(to, home) });
    return () => {
      removeEventListener('beforeunload', ask);
      release();
    };
  }, [unsaved, home]);
}

/** A small choice this browser remembers. */
export function usePref<Value extends string>(
  name: string,
  first: Value,
  allowed: readonly Value[],
): [Value, (value: Value) => void] {
  const stored = useSyncExternalStore(subscribePrefs, () => readPref(name));
  const value = allowed.find((one) => one === stored) ?? first;
  return [value, (next) => writePref(name, next)];
}

/** The value as it was when nothing changed for a while. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Whether the page matches a media query. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Milliseconds since then, in whole seconds. */
export function useElapsed(since: string): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.floor((now - new Date(since).getTime()) / 1000) * 1000);
}
