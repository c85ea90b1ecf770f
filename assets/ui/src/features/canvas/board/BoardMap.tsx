import { MiniMap, useStore, type ReactFlowState } from '@xyflow/react';
import { Map as MapIcon } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { IconButton, usePref } from '../../../ui';
import css from './Canvas.module.css';
import { t } from '../words';

/** The least width of a canvas that has room for a map. */
const ROOMY = 800;
const SIZE: CSSProperties = { width: 168, height: 112 };
const BOX_COLOUR = 'var(--control)';

const isRoomy = (state: ReactFlowState): boolean => state.width >= ROOMY;

/** Whether the map is shown. Unless somebody said so, it is folded away where it would lie over cards. */
function useMap(): [boolean, () => void] {
  const roomy = useStore(isRoomy);
  const [wanted, want] = usePref('map', 'room', ['room', 'shown', 'hidden']);
  const shown = wanted === 'shown' || (wanted === 'room' && roomy);
  return [shown, () => want(shown ? 'hidden' : 'shown')];
}

export function BoardMap(): ReactNode {
  const [shown] = useMap();
  if (!shown) return null;
  return (
    <MiniMap
      className={css.map}
      style={SIZE}
      ariaLabel={t('canvas.map')}
      pannable
      zoomable
      nodeColor={BOX_COLOUR}
      nodeBorderRadius={10}
      bgColor="var(--panel)"
      maskColor="var(--hover)"
    />
  );
}

export function MapButton(): ReactNode {
  const [shown, toggle] = useMap();
  return (
    <IconButton
      size="compact"
      tooltipSide="top"
      icon={MapIcon}
      label={t('canvas.map')}
      aria-pressed={shown}
      onClick={toggle}
    />
  );
}
