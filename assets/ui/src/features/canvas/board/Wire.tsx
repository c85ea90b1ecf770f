import { BaseEdge, EdgeLabelRenderer, getBezierPath, getSmoothStepPath, type EdgeProps } from '@xyflow/react';
import { Plus, TriangleAlert, X } from 'lucide-react';
import { createContext, memo, use, useRef, useState, type ReactNode } from 'react';
import { cx } from '../../../ui';
import css from './Canvas.module.css';
import type { WireEdge } from './graph';
import { useLook } from './look';
import { t } from '../words';

/** What can be done to a connection with the pointer; nothing where it is only looked at. */
export interface WireActions {
  insert: (id: string, at: { x: number; y: number }) => void;
  remove: (id: string) => void;
}

export const WireContext = createContext<WireActions | null>(null);

/** How long the buttons stay while the pointer goes to them. */
const LINGER_MS = 250;

export const Wire = memo(function Wire(props: EdgeProps<WireEdge>): ReactNode {
  const { id, source, target, data, selected } = props;
  const look = useLook();
  const actions = use(WireContext);
  const [near, setNear] = useState(false);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const loop = data?.loop === true;
  const lost = data?.lost ?? '';
  const [path, x, y] = loop
    ? getSmoothStepPath({ ...props, borderRadius: 12, offset: 28 })
    : getBezierPath(props);
  const touches = look.selected !== null && (look.selected === source || look.selected === target);
  const enter = (): void => {
    clearTimeout(leaving.current);
    setNear(true);
  };
  const leave = (): void => {
    leaving.current = setTimeout(() => setNear(false), LINGER_MS);
  };
  const shown = actions !== null && !loop && (near || selected === true);
  return (
    <>
      <BaseEdge
        path={path}
        className={cx(
          css.wire,
          loop && css.loop,
          lost && css.lost,
          (touches || selected || near) && css.near,
        )}
        interactionWidth={0}
      />
      {actions && !loop && (
        <path d={path} className={css.hit} onPointerEnter={enter} onPointerLeave={leave} />
      )}
      {(data?.label || lost || shown) && (
        <EdgeLabelRenderer>
          <span
            className={css.wireMiddle}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            aria-hidden
            onPointerEnter={actions ? enter : undefined}
            onPointerLeave={actions ? leave : undefined}
          >
            {data?.label && <span className={css.wireLabel}>{data.label}</span>}
            {lost && (
              <span className={css.wireLost} title={lost}>
                <TriangleAlert size={14} />
              </span>
            )}
            {(shown || (lost && actions)) && (
              <span className={cx(css.wireTools, 'nodrag', 'nopan')}>
                {!lost && (
                  <button
                    type="button"
                    tabIndex={-1}
                    title={t('canvas.insertHere')}
                    onClick={(event) => actions.insert(id, { x: event.clientX, y: event.clientY })}
                  >
                    <Plus size={14} />
                  </button>
                )}
                <button
                  type="button"
                  tabIndex={-1}
                  title={t('canvas.removeEdge')}
                  onClick={() => actions.remove(id)}
                >
                  <X size={14} />
                </button>
              </span>
            )}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
