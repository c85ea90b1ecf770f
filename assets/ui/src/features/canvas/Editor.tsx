import { Braces, GitCompareArrows, ListTree, Workflow } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useCards, type Card } from '../../api/cards';
import { useCredentials } from '../../api/credentials';
import { useAllowable } from '../../api/flowsettings';
import { useCan } from '../../api/me';
import type { DraftStatus } from '../../api/models';
import { countOf, diffCanvas, type CanvasDiff } from '../../core/canvasDiff';
import { hasCards, nodeLabel } from '../../core/nodes';
import { neverChanged, readOverrides, rowKey, type Allowable, type Overrides } from '../../core/overrides';
import type { Key } from '../../i18n';
import {
  Banner,
  Button,
  focusCard,
  later,
  Popover,
  RelativeTime,
  Segments,
  useMedia,
  usePref,
} from '../../ui';
import css from './Editor.module.css';
import { SaveLive } from './editing/SaveLive';
import { SaveNotice } from './editing/SaveNotice';
import { Outline } from './Outline';
import { byNode, countProblems, gravest, levels, withLevels } from './levels';
import { ProblemList } from './ProblemList';
import { SidePanel } from './SidePanel';
import type { FlowSlotProps, FlowSlots, CanvasRun, NodeMark } from './slots';
import { inputsOf } from './document/doc';
import { beginTeam } from './document/team';
import { disconnect } from './document/wires';
import type { DocumentHandle } from './editing/useDocument';
import { useDrawnProblems } from './editing/useDrawnProblems';
import type { Editing } from './editing/useEditing';
import type { BoardHandle } from './surface/Board';
import { cardsFor } from './palette/search';
import { t } from './words';

const ChangeList = later(() => import('./ChangeList'));
const Board = later(() => import('./surface/Board'));
const CardDock = later(() => import('./palette/CardDock'), null);
const CardPanel = later(() => import('./panel/CardPanel'));
const JsonEditor = later(() => import('./editing/JsonEditor'));

export interface EditorProps extends FlowSlotProps {
  editing: Editing;
  document: DocumentHandle;
  NewCredential: FlowSlots['NewCredential'];
  Start: FlowSlots['Start'];
  selected: string | null;
  onSelect: (id: string | null) => void;
  run: CanvasRun | null;
}

type View = 'canvas' | 'outline' | 'json';

export function Editor(props: EditorProps): ReactNode {
  const { flow, status, mayEdit, editing, document, selected, onSelect, run, Canvas, NewCredential, Start } =
    props;
  const stored = status.draft?.flowData ?? flow.flowData;
  const [view, setView] = useView();
  const [showsChanges, setShowsChanges] = useState(false);
  const updated = status.draft?.updatedDate ?? flow.updatedDate;
  const { doc } = document;
  const found = useDrawnProblems(flow.id, updated, doc, document.open && editing.unsaved);
  const problems = useMemo(() => withLevels(found, doc), [found, doc]);
  const kind = flow.type === 'AGENTFLOW' ? 'steps' : 'cards';
  const catalogue = useCards(doc !== null).data;
  const cards = useMemo(() => cardsFor(catalogue ?? [], flow.type), [catalogue, flow.type]);
  const can = useCan();
  const owned = useCredentials(document.open && can('credentials:view')).data;
  const credentials = useMemo(() => (owned ? new Set(owned.map((one) => one.id)) : null), [owned]);
  const [board, setBoard] = useState<BoardHandle | null>(null);
  const [renaming, setRenaming] = useState<{ id: string } | null>(null);
  const [dock, setDock] = usePref('cards', 'shown', ['shown', 'hidden']);
  const wide = useMedia('(width >= 1100px)');
  const docked = document.open && wide && dock === 'shown';
  // What was never published differs from nothing that anybody could ask.
  const live = useMemo(
    () => status.mode === 'live' || status.lastPublished !== null || hasCards(flow.flowData),
    [status.mode, status.lastPublished, flow.flowData],
  );
  const diff = useMemo(
    () => (live && status.draft ? diffCanvas(flow.flowData, status.draft.flowData) : null),
    [live, flow.flowData, status.draft],
  );
  const marks = useMemo(() => (diff && showsChanges ? marksOf(diff) : undefined), [diff, showsChanges]);
  const atNodes = useMemo(() => byNode(problems), [problems]);
  const listed = useMemo(() => readOverrides(flow.apiConfig), [flow.apiConfig]);
  const offered = useAllowable(flow.id, flow.updatedDate, listed.on && listed.rows.length > 0).data;
  const overridable = useMemo(
    () => overridableOf(listed, offered ? neverChanged(flow.flowData, offered) : noRows),
    [listed, offered, flow.flowData],
  );
  const node = doc?.nodes.find((one) => one.id === selected);
  const count = countProblems(problems);
  const rename = (id: string): void => {
    onSelect(id);
    setRenaming({ id });
  };
  const goTo = (id: string): void => {
    if (view === 'json') setView('canvas');
    onSelect(id);
  };
  const removeLost = (edge: string, at: string): void => {
    document.apply((now) => disconnect(now, new Set([edge])));
    // The list goes with the last problem: the focus goes to the card that it was at.
    requestAnimationFrame(() => {
      if (globalThis.document.activeElement === globalThis.document.body) focusCard(at);
    });
  };
  const putTeam = (): void => {
    document.apply((now) => beginTeam(now, cards, flow.name) ?? now);
    // The button is gone: the focus goes to the card that has to be set first, which is drawn with the next frame.
    const team = document.now()?.nodes[0];
    if (team) requestAnimationFrame(() => requestAnimationFrame(() => focusCard(team.id)));
  };
  return (
    <div className={css.editor}>
      <div className={css.bar} role="group" aria-label={t('canvas.tools')}>
        <Segments<View>
          value={view}
          onChange={setView}
          label={t('canvas.shownAs')}
          options={[
            { value: 'canvas', label: t('canvas.canvas'), icon: Workflow },
            { value: 'outline', label: t('canvas.outline'), icon: ListTree },
            { value: 'json', label: mayEdit ? t('canvas.editJson') : t('canvas.json'), icon: Braces },
          ]}
        />
        <span className={css.source}>{t(shownAs(live, status))}</span>
        <span className={css.push} />
        {mayEdit && status.mode === 'live' && view !== 'json' && <SaveLive editing={editing} />}
        {diff && countOf(diff) > 0 && (
          <Popover
            label={t('canvas.changes')}
            align="end"
            width={320}
            trigger={
              <Button size="compact" variant="ghost" icon={GitCompareArrows}>
                {t('canvas.changeCount', { count: countOf(diff) })}
              </Button>
            }
          >
            <ChangeList diff={diff} shown={showsChanges} onShow={setShowsChanges} onGo={goTo} />
          </Popover>
        )}
        <span className="sr-only" role="status">
          {count > 0 && t('canvas.problems', { count })}
        </span>
        {count > 0 && (
          <Popover
            label={t('canvas.problemList')}
            align="end"
            width={360}
            trigger={
              <Button size="compact" variant="ghost" icon={levels[gravest(problems)].icon}>
                {t('canvas.problems', { count })}
              </Button>
            }
          >
            <ProblemList problems={problems} onGo={goTo} onRemove={document.open ? removeLost : null} />
          </Popover>
        )}
      </div>
      {view !== 'json' && <SaveNotice {...props} />}
      {editing.local && (
        <Banner
          tone="info"
          className={css.notice}
          title={t('canvas.localTitle')}
          actions={
            <>
              <Button size="compact" onClick={editing.dropLocal}>
                {t('canvas.localDrop')}
              </Button>
              <Button size="compact" onClick={() => editing.takeLocal(view !== 'json')}>
                {t('canvas.localTake')}
              </Button>
            </>
          }
        >
          {t('canvas.localText')} <RelativeTime date={new Date(editing.local.at).toISOString()} />
        </Banner>
      )}
      {mayEdit && editing.fault && view !== 'json' && (
        <Banner
          tone="warning"
          className={css.notice}
          actions={
            <Button size="compact" onClick={() => setView('json')}>
              {t('canvas.editJson')}
            </Button>
          }
        >
          {t('canvas.textFault')}
        </Banner>
      )}
      <div className={css.body}>
        {view === 'canvas' && doc && docked && (
          <CardDock
            cards={board ? cards : noCards}
            onPick={(card) => board?.add(card)}
            onClose={() => setDock('hidden')}
          />
        )}
        <div className={css.main}>
          {view === 'json' ? (
            <JsonEditor {...props} stored={stored} />
          ) : view === 'outline' ? (
            <Outline flow={doc} problems={atNodes} selected={selected} onSelect={onSelect} />
          ) : doc ? (
            <Board
              document={document}
              doc={doc}
              kind={kind}
              cards={cards}
              label={t('canvas.canvasOf', { name: flow.name })}
              selected={selected}
              onSelect={onSelect}
              onRename={rename}
              problems={atNodes}
              credentials={credentials}
              docked={docked || !wide}
              onDock={() => setDock('shown')}
              onBeginTeam={flow.type === 'HARNESS' ? putTeam : null}
              onReady={setBoard}
              {...(marks ? { marks } : {})}
              run={run}
            />
          ) : (
            <Canvas flowData={stored} label={t('canvas.canvasOf', { name: flow.name })} />
          )}
        </div>
        {node && doc && view !== 'json' && (
          <SidePanel name="inspector" label={t('canvas.inspector')} first={360}>
            <CardPanel
              key={node.id}
              document={document}
              doc={doc}
              node={node}
              kind={kind}
              cards={catalogue ?? noCards}
              problems={atNodes.get(node.id) ?? null}
              overridable={overridable.get(nodeLabel(node)) ?? noNames}
              NewCredential={NewCredential}
              start={<Start flow={flow} inputs={inputsOf(node)} mayEdit={mayEdit} />}
              board={view === 'canvas' ? board : null}
              renaming={renaming?.id === node.id ? renaming : null}
              onSelect={onSelect}
            />
          </SidePanel>
        )}
      </div>
    </div>
  );
}

/** What of the flow is on the canvas. */
function shownAs(live: boolean, { draft }: DraftStatus): Key {
  if (live) return draft ? 'canvas.showsDraft' : 'canvas.showsLive';
  return draft ? 'canvas.showsFirst' : 'canvas.showsNever';
}

const noNames: ReadonlySet<string> = new Set();
const noCards: readonly Card[] = [];
const noRows: readonly Allowable[] = [];

/** How the canvas is shown is in the address; narrow pages begin with the outline. */
function useView(): [View, (view: View) => void] {
  const [path, go] = useLocation();
  const params = new URLSearchParams(useSearch());
  const narrow = useMedia('(width < 768px)');
  const asked = params.get('view');
  const first: View = narrow ? 'outline' : 'canvas';
  const view = asked === 'canvas' || asked === 'outline' || asked === 'json' ? asked : first;
  return [
    view,
    (next) => {
      if (next === first) params.delete('view');
      else params.set('view', next);
      const text = params.toString();
      go(text ? `${path}?${text}` : path, { replace: true });
    },
  ];
}

function marksOf(diff: CanvasDiff): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>();
  for (const one of diff.moved) marks.set(one.id, 'moved');
  for (const one of diff.changed) marks.set(one.id, 'changed');
  for (const one of diff.added) marks.set(one.id, 'added');
  return marks;
}

/** By the name of a card, what a request may change of it: what is listed, but for what no request ever changes. */
function overridableOf(
  { on, rows }: Overrides,
  never: readonly Allowable[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const blocked = new Set(never.map((one) => rowKey(one.node, one.name)));
  const all = new Map<string, Set<string>>();
  for (const row of on ? rows.filter((one) => !blocked.has(one)) : []) {
    const [card = '', name = ''] = JSON.parse(row) as string[];
    all.set(card, (all.get(card) ?? new Set()).add(name));
  }
  return all;
}
