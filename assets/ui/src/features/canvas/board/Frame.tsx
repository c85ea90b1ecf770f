import { useStore, type NodeProps, type ReactFlowState } from '@xyflow/react';
import { memo, useCallback, type CSSProperties, type ReactNode } from 'react';
import { nodeLabel } from '../../../core/nodes';
import { cx } from '../../../ui';
import { Face } from './CardNode';
import type { CardNode } from './graph';
import css from './Frame.module.css';
import { useLook } from './look';
import { t } from '../words';

/** The room between a frame and its cards, and above them for the name. */
const ROOM = 16;
const HEAD = 36;

/** A frame around the cards of a group. It follows them, also while they are dragged. */
export const Frame = memo(function Frame({ id, data, selected }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  const around = useCallback(
    (state: ReactFlowState) => placeAround(state, id, data.members),
    [id, data.members],
  );
  const place = useStore(around);
  const name = nodeLabel(data.node);
  const [x = 0, y = 0, width = 200, height = HEAD] = place ? place.split(' ').map(Number) : [];
  const style: CSSProperties = { transform: `translate(${x}px, ${y}px)`, width, height };
  return (
    <div className={cx(css.frame, (selected || look.selected === id) && css.chosen)} style={style}>
      <div className={css.head}>
        <Face id={id} name={name}>
          <span className={css.name}>{name}</span>
          <span className="sr-only">, {t('canvas.groupOf', { count: data.members.length })}</span>
        </Face>
      </div>
    </div>
  );
});

/** Where the frame lies, counted from its own node, as a text: an object would be another one each time. */
function placeAround(state: ReactFlowState, id: string, members: readonly string[]): string | null {
  const own = state.nodeLookup.get(id)?.internals.positionAbsolute;
  if (!own) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const member of members) {
    const node = state.nodeLookup.get(member);
    if (!node) continue;
    const { x, y } = node.internals.positionAbsolute;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + (node.measured.width ?? 0));
    bottom = Math.max(bottom, y + (node.measured.height ?? 0));
  }
  if (right < left) return null;
  return [left - ROOM - own.x, top - HEAD - own.y, right - left + 2 * ROOM, bottom - top + HEAD + ROOM].join(
    ' ',
  );
}
