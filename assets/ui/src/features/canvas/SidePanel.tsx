import { useRef, useState, type ReactNode } from 'react';
import { readPref, writePref } from '../../core/prefs';
import css from './FlowPage.module.css';
import { t } from './words';

const MIN = 300;
const MAX = 900;
const STEP = 24;

export interface SidePanelProps {
  /** Its width is kept under this name. */
  name: string;
  label: string;
  children: ReactNode;
  first?: number;
}

/** A panel at the end of the page, with a width that can be dragged or moved by arrows. */
export function SidePanel({ name, label, children, first = 400 }: SidePanelProps): ReactNode {
  const [width, setWidth] = useState(() => limited(Number(readPref(`width.${name}`)) || first));
  const drag = useRef<{ x: number; width: number } | null>(null);
  const put = (next: number): void => {
    setWidth(limited(next));
    writePref(`width.${name}`, String(limited(next)));
  };
  const sign = (): number => (getComputedStyle(document.documentElement).direction === 'rtl' ? -1 : 1);
  return (
    <aside className={css.side} style={{ inlineSize: width }} aria-label={label}>
      {/* A window splitter is a widget, whatever the linter thinks. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="separator"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={css.grip}
        aria-label={t('canvas.resize', { name: label })}
        aria-orientation="vertical"
        aria-valuemin={MIN}
        aria-valuemax={MAX}
        aria-valuenow={width}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, width };
        }}
        onPointerMove={(event) => {
          if (drag.current) setWidth(limited(drag.current.width + (drag.current.x - event.clientX) * sign()));
        }}
        onPointerUp={() => {
          drag.current = null;
          put(width);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') put(width + STEP * sign());
          if (event.key === 'ArrowRight') put(width - STEP * sign());
        }}
      />
      {children}
    </aside>
  );
}

const limited = (width: number): number => Math.round(Math.min(MAX, Math.max(MIN, width)));
