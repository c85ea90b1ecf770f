import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../ui';
import { MapButton } from './BoardMap';
import css from './Canvas.module.css';
import { t } from '../words';

export interface ZoomProps {
  zoomIn: () => void;
  zoomOut: () => void;
  fit: () => void;
  /** There is a map to show or to fold away. */
  map: boolean;
}

export function Zoom({ zoomIn, zoomOut, fit, map }: ZoomProps): ReactNode {
  const shared = { size: 'compact', tooltipSide: 'top' } as const;
  return (
    <div className={css.zoom} role="group" aria-label={t('canvas.zoom')}>
      <IconButton {...shared} icon={ZoomOut} label={t('canvas.zoomOut')} shortcut="-" onClick={zoomOut} />
      <IconButton {...shared} icon={ZoomIn} label={t('canvas.zoomIn')} shortcut="+" onClick={zoomIn} />
      <IconButton {...shared} icon={Maximize} label={t('canvas.fit')} shortcut="1" onClick={fit} />
      {map && <MapButton />}
    </div>
  );
}
