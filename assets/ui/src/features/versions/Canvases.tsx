import { useMemo, useState, type ComponentType, type ReactNode } from 'react';
import type { CanvasDiff } from '../../core/canvasDiff';
import { t } from '../../i18n';
import { marksOf, type Marks } from './versions';
import css from './Versions.module.css';
import './words';

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** What is needed of the read-only canvas. */
export interface CompareCanvas {
  flowData: string;
  label: string;
  marks?: Marks;
  selected?: string | null;
  onSelect?: (id: string | null) => void;
  view?: Viewport;
  onView?: (view: Viewport) => void;
}

export interface CanvasesProps {
  Canvas: ComponentType<CompareCanvas>;
  /** Null where there is only one to show. */
  before: string | null;
  after: string;
  diff: CanvasDiff;
  names: { before: string; after: string };
  selected: string | null;
  onSelect: (id: string | null) => void;
}

/** Two canvases beside each other that move together, with what changed marked. */
export function Canvases(props: CanvasesProps): ReactNode {
  const { Canvas, before, after, diff, names, selected, onSelect } = props;
  const [place, setPlace] = useState<Viewport | undefined>(undefined);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const side = (name: string, flowData: string, of: Marks): ReactNode => (
    <figure className={css.half}>
      <figcaption className={css.caption}>{name}</figcaption>
      <div className={css.canvas}>
        <Canvas
          flowData={flowData}
          label={t('versions.canvasOf', { name })}
          marks={of}
          selected={selected}
          onSelect={onSelect}
          {...(place ? { view: place } : {})}
          onView={setPlace}
        />
      </div>
    </figure>
  );
  return (
    <div className={css.sides}>
      {before !== null && side(names.before, before, marks.before)}
      {side(names.after, after, marks.after)}
    </div>
  );
}
