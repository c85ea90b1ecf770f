import '../../../styles/flow.css';
import {
  Background,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
  type Viewport,
} from '@xyflow/react';
import { TriangleAlert, Workflow } from 'lucide-react';
import { useCallback, useEffect, useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { letterKeysOn } from '../../../core/prefs';
import { inOrder, nextTo, type Direction } from '../../../core/nodes';
import { t } from '../../../i18n';
import { EmptyState, useMedia } from '../../../ui';
import css from './Canvas.module.css';
import { Area, Card, Note, Step } from './CardNode';
import { Frame } from './Frame';
import { graphOf, type Graph } from './graph';
import { LookContext, still as plain, type Look } from './look';
import { BoardMap } from './BoardMap';
import { Wire } from './Wire';
import { Zoom } from './Zoom';
import type { CanvasViewProps } from '../slots';

const nodeTypes = { card: Card, step: Step, note: Note, area: Area, frame: Frame };
const edgeTypes = { wire: Wire };
const none: ReadonlyMap<string, never> = new Map<string, never>();
const arrows: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export default function Canvas(props: CanvasViewProps): ReactNode {
  const graph = useMemo(() => graphOf(props.flowData), [props.flowData]);
  if (!graph)
    return (
      <EmptyState icon={TriangleAlert} title={t('canvas.unreadable')}>
        {t('canvas.unreadableText')}
      </EmptyState>
    );
  if (graph.nodes.length === 0)
    return (
      <EmptyState icon={Workflow} title={t('canvas.empty')}>
        {t('canvas.emptyText')}
      </EmptyState>
    );
  return (
    <ReactFlowProvider>
      <Drawn {...props} graph={graph} />
    </ReactFlowProvider>
  );
}

function Drawn(props: CanvasViewProps & { graph: Graph }): ReactNode {
  const { graph, label, marks = none, run = null, problems = none, selected = null, onSelect } = props;
  const { fitView, zoomIn, zoomOut, zoomTo, getInternalNode, setCenter, getZoom } = useReactFlow();
  // The library keeps its measures in the nodes; the map draws with them.
  const [nodes, setNodes, onNodesChange] = useNodesState(graph.nodes);
  useEffect(() => setNodes(graph.nodes), [graph, setNodes]);
  const box = useRef<HTMLDivElement>(null);
  const hint = useId();
  const still = useMedia('(prefers-reduced-motion: reduce)');
  const duration = still ? 0 : 180;
  const order = useMemo(() => inOrder(graph.flow.nodes).map((node) => node.id), [graph]);
  const [last, setLast] = useState<string | null>(null);
  const has = (id: string | null): id is string => id !== null && order.includes(id);
  const stop = has(last) ? last : has(selected) ? selected : (order[0] ?? null);

  const middle = useCallback(
    (id: string): { id: string; x: number; y: number } | null => {
      const inner = getInternalNode(id);
      if (!inner) return null;
      const { x, y } = inner.internals.positionAbsolute;
      return { id, x: x + (inner.measured.width ?? 0) / 2, y: y + (inner.measured.height ?? 0) / 2 };
    },
    [getInternalNode],
  );

  /** Brings a node into view when it is not. */
  const show = useCallback(
    (id: string) => {
      const face = box.current?.querySelector(`[data-node="${CSS.escape(id)}"]`)?.getBoundingClientRect();
      const frame = box.current?.getBoundingClientRect();
      const at = middle(id);
      if (!frame || !at) return;
      const inside =
        face &&
        face.left >= frame.left &&
        face.right <= frame.right &&
        face.top >= frame.top &&
        face.bottom <= frame.bottom;
      if (!inside) void setCenter(at.x, at.y, { zoom: Math.max(getZoom(), 0.6), duration });
    },
    [middle, setCenter, getZoom, duration],
  );

  useEffect(() => {
    if (selected) show(selected);
  }, [selected, show]);

  const focus = (id: string | null | undefined): void => {
    if (!id) return;
    setLast(id);
    show(id);
    box.current
      ?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)
      ?.focus({ preventScroll: true });
  };

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const on = (event.target as HTMLElement).dataset.node;
    if (!on || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = arrows[event.key];
    const here = middle(on);
    const act = (): void => {
      if (direction && here) {
        const all = order.map(middle).filter((one) => one !== null);
        focus(nextTo(here, all, direction));
      } else if (event.key === 'Home') focus(order[0]);
      else if (event.key === 'End') focus(order.at(-1));
      else if (event.key === 'Escape' && selected) onSelect?.(null);
      else if (!letterKeysOn()) return;
      else if (event.key === '1') void fitView({ duration, padding: 0.15 });
      else if (event.key === '0') void zoomTo(1, { duration });
      else if (event.key === '+') void zoomIn({ duration });
      else if (event.key === '-') void zoomOut({ duration });
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    act();
  };

  const look = useMemo<Look>(
    () => ({
      ...plain,
      selected,
      stop,
      marks,
      run,
      problems,
      open: (id) => onSelect?.(id),
      touched: setLast,
    }),
    [selected, stop, marks, run, problems, onSelect],
  );
  const large = graph.nodes.length > 200;
  const view: Viewport | undefined = props.view;
  return (
    <LookContext value={look}>
      {/* The keys act on the buttons inside. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={box}
        className={css.canvas}
        role="group"
        aria-label={label}
        aria-describedby={hint}
        onKeyDown={onKeyDown}
      >
        <p id={hint} className="sr-only">
          {t('canvas.keys', { count: graph.nodes.length })}
        </p>
        <ReactFlow
          nodes={nodes}
          onNodesChange={onNodesChange}
          edges={graph.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          fitView={!view}
          fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
          minZoom={0.1}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          onlyRenderVisibleElements={large}
          onPaneClick={() => onSelect?.(null)}
          proOptions={{ hideAttribution: true }}
          {...(view ? { viewport: view } : {})}
          {...(props.onView ? { onViewportChange: props.onView } : {})}
        >
          <Background gap={20} size={1.2} color="var(--line)" />
          {graph.nodes.length > 3 && !props.onView && <BoardMap />}
        </ReactFlow>
        <Zoom
          zoomIn={() => void zoomIn({ duration })}
          zoomOut={() => void zoomOut({ duration })}
          fit={() => void fitView({ duration, padding: 0.15, maxZoom: 1 })}
          map={graph.nodes.length > 3 && !props.onView}
        />
      </div>
    </LookContext>
  );
}
