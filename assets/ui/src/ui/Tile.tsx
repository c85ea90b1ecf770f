import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx';
import css from './Tile.module.css';

export type Hue =
  | 'start'
  | 'model'
  | 'agent'
  | 'tool'
  | 'retriever'
  | 'condition'
  | 'http'
  | 'code'
  | 'reply'
  | 'human'
  | 'none';

export interface TileProps {
  icon: LucideIcon;
  hue?: Hue;
  size?: 'small' | 'medium' | 'large';
}

/** The icon of a kind of flow or node, on its own hue. Words beside it say the kind. */
export function Tile({ icon: Icon, hue = 'none', size = 'medium' }: TileProps): ReactNode {
  return (
    <span className={cx(css.tile, css[size], css[hue])} aria-hidden>
      <Icon size={size === 'small' ? 13 : size === 'medium' ? 15 : 18} />
    </span>
  );
}
