const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]';

/**
 * A `ref` for what scrolls: while there is more than fits and nothing in it to move to, it is a stop itself, so that the
 * keyboard can scroll it.
 */
export function scrollRegion(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const judge = (): void => {
    const more = element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
    if (more && !element.querySelector(STOPS)) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  const sizes = new ResizeObserver(judge);
  const content = new MutationObserver(judge);
  sizes.observe(element);
  content.observe(element, { childList: true, subtree: true, characterData: true });
  judge();
  return () => {
    sizes.disconnect();
    content.disconnect();
  };
}
