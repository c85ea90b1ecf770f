import {
  Background,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  type Connection,
  type FinalConnectionState,
  type OnConnectStartParams,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { inOrder, nodeLabel } from '../../../core/nodes';
import { ContextMenu, useShortcuts, type MenuEntry } from '../../../ui';
import { nodeIn } from '../document/doc';
import { moveInto, moveNodes } from '../document/edit';
import { isGroup, withMembers } from '../document/groups';
import type { End } from '../document/rules';
import { connect } from '../document/wires';
import { QuickAdd } from '../palette/QuickAdd';
import { t } from '../words';
import css from './Board.module.css';
import type { BoardProps } from './Board';
import canvas from '../board/Canvas.module.css';
import { Area, Card, Note, Step } from '../board/CardNode';
import { Frame } from '../board/Frame';
import { ConnectTo } from './ConnectTo';
import { dropBox } from './dropBox';
import type { CardNode, WireEdge } from '../board/graph';
import { LookContext, type Look } from '../board/look';
import { canvasMenu, cardMenu, edgeMenu, type MenuOf } from './menus';
import { EmptyCanvas } from './EmptyCanvas';
import { Toolbar } from './Toolbar';
import { useAdding, type Purpose } from './useAdding';
import { useCommands } from './useCommands';
import { useDrawing } from './useDrawing';
import { edgeOf, useDrops } from './useDrops';
import { useInView } from './useInView';
import { boardKeys, pressKey } from './useKeys';
import { useLinking } from './useLinking';
import { useMoves } from '../board/useMoves';
import { useStable } from './useStable';
import { Wire, WireContext, type WireActions } from '../board/Wire';
import { BoardMap } from '../board/BoardMap';
import { Zoom } from '../board/Zoom';

const nodeTypes = { card: Card, step: Step, note: Note, area: Area, frame: Frame };
const edgeTypes = { wire: Wire };
const none: ReadonlyMap<string, never> = new Map<string, never>();
const MULTI = ['Meta', 'Control', 'Shift'];
const SNAP: [number, number] = [10, 10];
const FIT = { padding: 0.15, maxZoom: 1 };
const BARE = { hideAttribution: true };

/** The drawn canvas with all that can be done on it by pointer and by keyboard. */
export function Surface(props: BoardProps): ReactNode {
  const { document: held, doc, kind, cards, label, selected, onSelect, credentials, onReady } = props;
  const { marks = none, run = null, problems, docked, onDock, onRename, onBeginTeam } = props;
  const { apply, open: editable } = held;
  const { screenToFlowPosition, getInternalNode } = useReactFlow();
  const box = useRef<HTMLDivElement>(null);
  const [said, say] = useState('');
  const [last, setLast] = useState<string | null>(null);
  const [finding, setFinding] = useState(false);
  const [connecting, setConnecting] = useState<string | null>(null);
  const [menu, setMenu] = useState<MenuEntry[]>([]);
  const drawing = useDrawing(doc);
  const { nodes, edges, chosen, choose } = drawing;
  const moves = useMoves(box, setLast);
  const commands = useCommands({ document: held, drawing, kind, cards, credentials, say, onSelect });
  const adding = useAdding({ document: held, drawing, cards, say, onSelect });
  const linking = useLinking(held, nodes, say);
  const { ask, put } = adding;
  const keys = useMemo(() => boardKeys(), []);
  useShortcuts(keys);

  const order = useMemo(() => inOrder(doc.nodes).map((node) => node.id), [doc]);
  const known = useMemo(() => new Set(order), [order]);
  const stop =
    last && known.has(last) ? last : selected && known.has(selected) ? selected : (order[0] ?? null);

  // What the address names is chosen and seen.
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (selected === shown.current) return;
    shown.current = selected;
    if (selected === null || !known.has(selected)) return;
    choose([selected]);
    // A card that was just put down is drawn with the next frame.
    requestAnimationFrame(() => moves.show(selected));
  }, [selected, known, choose, moves]);

  useInView(box, selected, moves);
  const local = useCallback((x: number, y: number) => {
    const frame = box.current?.getBoundingClientRect();
    return { x: x - (frame?.left ?? 0), y: y - (frame?.top ?? 0) };
  }, []);
  const askAt = useCallback(
    (x: number, y: number) =>
      ask({ purpose: { is: 'add', at: screenToFlowPosition({ x, y }) }, place: local(x, y) }),
    [ask, screenToFlowPosition, local],
  );
  const askInMiddle = useCallback(() => {
    const frame = box.current?.getBoundingClientRect();
    if (frame) askAt(frame.left + frame.width / 2 - 110, frame.top + Math.min(120, frame.height / 3));
  }, [askAt]);
  const askBelow = useCallback(
    (id: string, purpose: Purpose) => {
      const face = box.current?.querySelector(`[data-node="${CSS.escape(id)}"]`)?.getBoundingClientRect();
      ask({ purpose, place: local(face?.left ?? 0, face?.bottom ?? 0) });
    },
    [ask, local],
  );
  const duplicate = useStable(commands.duplicate);
  const add = useStable((card: (typeof cards)[number]) => put(card, moves.centre()));
  const askReplace = useCallback((id: string) => askBelow(id, { is: 'replace', id }), [askBelow]);
  const askInside = useCallback((id: string) => askBelow(id, { is: 'inside', box: id }), [askBelow]);
  const askBetween = useStable((edge: string) => {
    const of = doc.edges.find((one) => one.id === edge);
    const [from, to] = [of && moves.middle(of.source), of && moves.middle(of.target)];
    if (!of || !from || !to) return;
    askBelow(of.source, { is: 'insert', edge, at: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } });
  });
  useEffect(() => {
    onReady({
      add,
      insert: askBetween,
      replace: askReplace,
      inside: askInside,
      connect: setConnecting,
      duplicate,
    });
    return () => onReady(null);
  }, [onReady, add, askBetween, askReplace, askInside, duplicate]);

  const lookFrom = linking.from;
  const [pick, resize] = [useStable(linking.pick), useStable(commands.resize)];
  const open = useCallback(
    (id: string, event: React.MouseEvent) => {
      if (event.shiftKey || event.metaKey || event.ctrlKey) return;
      const node = nodes.find((one) => one.id === id);
      if (lookFrom && node) linking.meet(lookFrom, node);
      else onSelect(id);
    },
    [nodes, lookFrom, linking, onSelect],
  );
  const latestOpen = useRef(open);
  useEffect(() => {
    latestOpen.current = open;
  });
  const look = useMemo<Look>(
    () => ({
      selected,
      stop,
      marks,
      run,
      problems,
      open: (id, event) => latestOpen.current(id, event),
      touched: setLast,
      editable,
      from: lookFrom,
      fits: linking.fits,
      pick,
      resize,
    }),
    [selected, stop, marks, run, problems, editable, lookFrom, linking.fits, pick, resize],
  );

  const targets = (focused: string | undefined): readonly string[] => {
    return withMembers(doc, focused === undefined || chosen.includes(focused) ? chosen : [focused]);
  };
  const removeAll = (ids: readonly string[]): void => {
    const first = ids[0];
    const rest = order.filter((id) => !ids.includes(id));
    const next = first
      ? (moves.next(first, rest, 'left') ?? moves.next(first, rest, 'right') ?? rest[0])
      : undefined;
    commands.remove(ids);
    // Else the focus would fall to the page.
    requestAnimationFrame(() => (next ? moves.focus(next) : box.current?.focus()));
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const done = pressKey(event, {
      commands: { ...commands, remove: removeAll },
      targets,
      editable,
      all: () => choose(order),
      escape: () => {
        if (linking.from || linking.why) linking.cancel();
        else if (selected) onSelect(null);
        else if (chosen.length > 0) choose([]);
        else return false;
        return true;
      },
      add: askInMiddle,
      find: () => setFinding(true),
      connect: setConnecting,
      open: onSelect,
      rename: onRename,
      walk: (from, direction) => moves.focus(moves.next(from, order, direction)),
      edge: (end) => moves.focus(end === 'first' ? order[0] : order.at(-1)),
      zoomOn: moves.zoomOn,
      zoom: (how) => ({ fit: moves.fit, one: moves.zoomOne, in: moves.zoomIn, out: moves.zoomOut })[how](),
    });
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onClipboard = (event: React.ClipboardEvent): void => {
    if (/^(INPUT|TEXTAREA)$/.test((event.target as HTMLElement).tagName)) return;
    const ids = targets((event.target as HTMLElement).dataset.node);
    if (event.type === 'paste') {
      const text = event.clipboardData.getData('text/plain');
      if (editable && text) commands.paste(text, moves.centre());
    } else {
      const text = commands.copy(ids);
      if (!text || !document.getSelection()?.isCollapsed) return;
      event.clipboardData.setData('text/plain', text);
      if (event.type === 'cut' && editable) removeAll(ids);
    }
    event.preventDefault();
  };

  const onDragged = useCallback(
    (moved: readonly CardNode[]) => {
      const to = new Map(moved.map((node) => [node.id, node.position]));
      apply((before) => {
        const placed = moveNodes(before, to);
        return moved.reduce((one, node) => {
          const found = dropBox(one, node.id, getInternalNode);
          return found ? moveInto(one, new Set([node.id]), found.box, new Map([[node.id, found.at]])) : one;
        }, placed);
      });
    },
    [apply, getInternalNode],
  );
  const onConnect = useCallback(
    (made: Connection) => {
      const [from, to] = endsOfConnection(made);
      linking.finish(from, to);
    },
    [linking],
  );
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    const from = linking.from;
    linking.cancel();
    if (!from || state.isValid) return;
    const at = 'changedTouches' in event ? event.changedTouches[0] : event;
    if (!at) return;
    const under = (event.target as Element | null)?.closest?.('.react-flow__node');
    const id = state.toNode?.id ?? under?.getAttribute('data-id');
    const node = id ? nodes.find((one) => one.id === id) : undefined;
    const handle = state.toHandle;
    if (handle?.id) linking.finish(from, { node: handle.nodeId, handle: handle.id, side: handle.type });
    else if (node) linking.meet(from, node);
    else if (!id)
      ask({
        purpose: { is: 'connect', from, at: screenToFlowPosition({ x: at.clientX, y: at.clientY }) },
        place: local(at.clientX, at.clientY),
      });
  };
  const onNodeDragStop = useStable((_: unknown, __: unknown, moved: CardNode[]) => onDragged(moved));
  const onSelectionDragStop = useStable((_: unknown, moved: CardNode[]) => onDragged(moved));
  const onConnectStart = useStable((_: unknown, { nodeId, handleId, handleType }: OnConnectStartParams) => {
    if (nodeId && handleType) linking.begin({ node: nodeId, handle: handleId ?? nodeId, side: handleType });
  });
  const isValidConnection = useStable((made: Connection | WireEdge) => {
    const verdict = linking.judge(...endsOfConnection(made as Connection));
    linking.hint(verdict && !verdict.ok ? verdict.why : null);
    return verdict?.ok === true;
  });
  const onPaneClick = useStable((event: React.MouseEvent) => {
    box.current?.focus({ preventScroll: true });
    if (linking.from) {
      const { from } = linking;
      linking.cancel();
      const { clientX: x, clientY: y } = event;
      ask({
        purpose: { is: 'connect', from, at: screenToFlowPosition({ x, y }) },
        place: local(x, y),
      });
    } else onSelect(null);
  });
  const onSelectionChange = useStable(({ nodes: all }: { nodes: unknown[] }) => {
    if (all.length > 1 && selected) onSelect(null);
  });
  const endConnect = useStable(onConnectEnd);
  const makeConnection = useStable(onConnect);
  const found = useStable((id: string) => {
    onSelect(id);
    requestAnimationFrame(() => moves.focus(id));
  });
  const disconnect = useStable(commands.disconnect);
  const wireActions = useMemo<WireActions | null>(
    () =>
      editable
        ? {
            insert: (edge, at) =>
              ask({
                purpose: { is: 'insert', edge, at: screenToFlowPosition(at) },
                place: local(at.x, at.y),
              }),
            remove: disconnect,
          }
        : null,
    [editable, ask, screenToFlowPosition, local, disconnect],
  );
  const menuOf = (): MenuOf => ({
    doc,
    commands,
    editable,
    all: () => choose(order),
    add: askInMiddle,
    fit: moves.fit,
    zoomOn: moves.zoomOn,
    open: onSelect,
    rename: onRename,
    connect: setConnecting,
    inside: askInside,
    replace: askReplace,
    insert: askBetween,
    targets,
    removeAll,
    centre: moves.centre,
  });
  const openMenu = (id: string | null): void => setMenu(id ? cardMenu(menuOf(), id) : canvasMenu(menuOf()));
  const drops = useDrops({ editable, cards, adding, commands });
  const why = linking.why;
  return (
    <LookContext value={look}>
      <WireContext value={wireActions}>
        <ContextMenu label={t('editor.menu')} items={menu}>
          {/* Keys pressed on the canvas mean something all over it. */}
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
          <div
            ref={box}
            className={canvas.canvas}
            role="group"
            aria-label={label}
            tabIndex={-1}
            onKeyDown={onKeyDown}
            onCopy={onClipboard}
            onCut={onClipboard}
            onPaste={onClipboard}
            onPointerDownCapture={(event) => {
              // Whoever takes a group by its name takes its cards.
              const at = (event.target as Element).closest('[data-node]')?.getAttribute('data-node');
              const node = at ? nodeIn(doc, at) : undefined;
              if (editable && node && isGroup(node) && event.button === 0) {
                const more = event.shiftKey || event.metaKey || event.ctrlKey;
                choose(withMembers(doc, [...(more ? chosen : []), node.id]));
              }
            }}
            onContextMenu={(event) => {
              const target = event.target as Element;
              const edge = edgeOf(target);
              if (edge) setMenu(edgeMenu(menuOf(), edge));
              else openMenu(target.closest('.react-flow__node')?.getAttribute('data-id') ?? null);
            }}
            {...drops}
          >
            <ReactFlow
              nodes={nodes}
              onNodesChange={drawing.onNodesChange}
              edges={edges}
              nodeTypes={nodeTypes}
              edgeTypes={edgeTypes}
              fitView
              fitViewOptions={FIT}
              minZoom={0.1}
              maxZoom={2}
              nodesDraggable={editable}
              nodesConnectable={editable}
              nodesFocusable={false}
              edgesFocusable={false}
              elementsSelectable
              disableKeyboardA11y
              deleteKeyCode={null}
              selectionMode={SelectionMode.Partial}
              multiSelectionKeyCode={MULTI}
              connectOnClick={false}
              connectionRadius={28}
              snapToGrid
              snapGrid={SNAP}
              nodeDragThreshold={3}
              elevateNodesOnSelect={false}
              onlyRenderVisibleElements={nodes.length > 150}
              onNodeDragStop={onNodeDragStop}
              onSelectionDragStop={onSelectionDragStop}
              onConnect={makeConnection}
              onConnectStart={onConnectStart}
              onConnectEnd={endConnect}
              isValidConnection={isValidConnection}
              onPaneClick={onPaneClick}
              onSelectionChange={onSelectionChange}
              proOptions={BARE}
            >
              <Background gap={20} size={1.2} color="var(--line)" />
              {nodes.length > 3 && <BoardMap />}
            </ReactFlow>
            <Toolbar
              document={held}
              doc={doc}
              commands={commands}
              chosen={chosen}
              docked={docked}
              finding={finding}
              onFinding={setFinding}
              onFound={found}
              onAdd={askInMiddle}
              onDock={onDock}
            />
            {nodes.length === 0 && (
              <EmptyCanvas editable={editable} onAdd={askInMiddle} onBeginTeam={onBeginTeam} />
            )}
            {(why || linking.from) && (
              <p className={css.hint} role="status">
                {why ? (
                  <span className={css.refused}>{why}</span>
                ) : (
                  t('editor.linking', { name: nameIn(doc, linking.from) })
                )}
              </p>
            )}
            <Zoom {...moves} map={nodes.length > 3} />
            {adding.asking && (
              <QuickAdd
                title={t(`editor.ask.${adding.asking.purpose.is}`)}
                at={adding.asking.place}
                cards={adding.fitting}
                onPick={adding.pick}
                onClose={() => {
                  ask(null);
                  if (stop) moves.focus(stop);
                  else box.current?.focus();
                }}
              />
            )}
            <p className="sr-only">{t(editable ? 'editor.keys' : 'canvas.keys', { count: nodes.length })}</p>
            <p className="sr-only" role="status">
              {said}
            </p>
          </div>
        </ContextMenu>
        <ConnectTo
          doc={doc}
          nodes={nodes}
          id={connecting}
          onClose={() => setConnecting(null)}
          onRefused={linking.hint}
          onConnect={(wire) => {
            apply((one) => connect(one, wire));
            say(
              t('editor.said.connected', {
                from: nameIn(doc, { node: wire.source }),
                to: nameIn(doc, { node: wire.target }),
              }),
            );
          }}
        />
      </WireContext>
    </LookContext>
  );
}

const nameIn = (doc: BoardProps['doc'], end: { node: string } | null): string => {
  const node = end && nodeIn(doc, end.node);
  return node ? nodeLabel(node) : '';
};

const endsOfConnection = (made: Connection): [End, End] => [
  { node: made.source, handle: made.sourceHandle ?? '', side: 'source' },
  { node: made.target, handle: made.targetHandle ?? '', side: 'target' },
];
