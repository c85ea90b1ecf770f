/** Gives a card on the canvas, or its line in the outline, the focus; whether it is drawn. */
export function focusCard(id: string): boolean {
  const card = document.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`);
  // A canvas goes to the card by itself: scrolled by the browser it would be moved inside its frame.
  card?.focus({ preventScroll: card.closest('.react-flow') !== null });
  return card !== null;
}

const EVERY_MS = 50;

/**
 * The same for a card that a dialog leads to: after the dialog gave the focus back, and once the editor is drawn, which
 * may have to be loaded first. The panel of the card, which takes the focus when it opens, keeps it.
 */
export function focusCardSoon(id: string, tries = 40): void {
  setTimeout(() => {
    if (tries > 0 && !document.activeElement?.closest('aside') && !focusCard(id))
      focusCardSoon(id, tries - 1);
  }, EVERY_MS);
}
