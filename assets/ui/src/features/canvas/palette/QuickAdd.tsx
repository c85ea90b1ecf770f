import { useEffect, useRef, type ReactNode } from 'react';
import type { Card } from '../../../api/cards';
import { Palette } from './Palette';
import css from './Palette.module.css';

export interface QuickAddProps {
  title: string;
  /** Its place, counted from the corner of the canvas. */
  at: { x: number; y: number };
  cards: readonly Card[];
  onPick: (card: Card) => void;
  onClose: () => void;
}

const WIDTH = 300;
const HEIGHT = 380;

/** The palette at a place of the canvas, for one choice. */
export function QuickAdd({ title, at, cards, onPick, onClose }: QuickAddProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  // Beside the edges of the canvas it moves inside.
  useEffect(() => {
    const [own, frame] = [box.current, box.current?.parentElement];
    if (!own || !frame) return;
    own.style.left = `${Math.max(8, Math.min(at.x, frame.clientWidth - WIDTH - 8))}px`;
    own.style.top = `${Math.max(8, Math.min(at.y, frame.clientHeight - Math.min(HEIGHT, frame.clientHeight * 0.9) - 8))}px`;
  }, [at]);
  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as globalThis.Node)) close.current();
    };
    addEventListener('pointerdown', outside, true);
    return () => removeEventListener('pointerdown', outside, true);
  }, []);
  return (
    // Escape closes it from everywhere inside.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={box}
      className={css.quick}
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') onClose();
      }}
    >
      <h2>{title}</h2>
      <Palette cards={cards} onPick={onPick} autoFocus />
    </div>
  );
}
