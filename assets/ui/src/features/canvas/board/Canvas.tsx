import '../../../styles/flow.css';
import { Background, ReactFlow, ReactFlowProvider, useNodesState, type Viewport } from '@xyflow/react';
import { TriangleAlert, Workflow } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { letterKeysOn } from '../../../core/prefs';
import { inOrder, type Direction } from '../../../core/nodes';
import { EmptyState } from '../../../ui';
import css from './Canvas.module.css';
import { Area, Card, Note, Step } from './CardNode';
import { Frame } from './Frame';
import { graphOf, type Graph } from './graph';
import { LookContext, still as plain, type Look } from './look';
import { BoardMap } from './BoardMap';
import { useMoves } from './useMoves';
import { Wire } from './Wire';
import { Zoom } from './Zoom';
import type { CanvasViewProps } from '../slots';
import { t } from '../words';

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
  // The library keeps its measures in the nodes; the map draws with them.
  const [nodes, setNodes, onNodesChange] = useNodesState(graph.nodes);
  useEffect(() => setNodes(graph.nodes), [graph, setNodes]);
  const box = useRef<HTMLDivElement>(null);
  const hint = useId();
  const order = useMemo(() => inOrder(graph.flow.nodes).map((node) => node.id), [graph]);
  const [last, setLast] = useState<string | null>(null);
  const has = (id: string | null): id is string => id !== null && order.includes(id);
  const stop = has(last) ? last : has(selected) ? selected : (order[0] ?? null);

  const moves = useMoves(box, setLast);
  const { show } = moves;
  useEffect(() => {
    if (selected) show(selected);
  }, [selected, show]);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const on = (event.target as HTMLElement).dataset.node;
    if (!on || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = arrows[event.key];
    const act = (): void => {
      if (direction) moves.focus(moves.next(on, order, direction));
      else if (event.key === 'Home') moves.focus(order[0]);
      else if (event.key === 'End') moves.focus(order.at(-1));
      else if (event.key === 'Escape' && selected) onSelect?.(null);
      else if (!letterKeysOn()) return;
      else if (event.key === '1') moves.fit();
      else if (event.key === '0') moves.zoomOne();
      else if (event.key === '+') moves.zoomIn();
      else if (event.key === '-') moves.zoomOut();
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
          zoomIn={moves.zoomIn}
          zoomOut={moves.zoomOut}
          fit={moves.fit}
          map={graph.nodes.length > 3 && !props.onView}
        />
      </div>
    </LookContext>
  );
}
