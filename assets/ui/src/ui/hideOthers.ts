/**
 * Stands for the package `aria-hidden` (see `vite.config.ts`): while a menu, a list of choices or a dialog is open, the rest
 * of the page is inert. Hidden from screen readers alone it would still take the focus.
 */
export function hideOthers(target: Element | readonly Element[], root: Element = document.body): () => void {
  const targets = new Set<Element>([target].flat() as Element[]);
  // What is announced while it is open must stay heard; nobody writes in a code field then.
  const kept = new Set<Element>([...targets, ...root.querySelectorAll('[aria-live]:not(.cm-announced)')]);
  const above = new Set<Element>();
  for (const one of kept)
    for (let at = one.parentElement; at && at !== root; at = at.parentElement) above.add(at);
  const made: HTMLElement[] = [];
  const walk = (parent: Element): void => {
    for (const child of parent.children) {
      if (kept.has(child) || !(child instanceof HTMLElement) || child.inert || child.tagName === 'SCRIPT')
        continue;
      if (above.has(child)) walk(child);
      else {
        child.inert = true;
        made.push(child);
      }
    }
  };
  walk(root);
  return () => {
    for (const one of made) one.inert = false;
  };
}
