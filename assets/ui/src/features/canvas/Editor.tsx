import { Braces, GitCompareArrows, ListTree, TriangleAlert, Workflow } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useProblems, type CardProblem } from '../../api/canvas';
import { countOf, diffCanvas, type CanvasDiff } from '../../core/canvasDiff';
import { parseFlow } from '../../core/flowdata';
import { t } from '../../i18n';
import { Banner, Button, later, Popover, RelativeTime, Segments, useMedia } from '../../ui';
import css from './Editor.module.css';
import { Outline } from './Outline';
import { ProblemList } from './ProblemList';
import { SidePanel } from './SidePanel';
import type { FlowSlotProps, NodeMark, RunState } from './slots';
import type { Editing } from './useEditing';

const ChangeList = later(() => import('./ChangeList'));
const Inspector = later(() => import('./Inspector'));
const JsonEditor = later(() => import('./JsonEditor'));

export interface EditorProps extends FlowSlotProps {
  editing: Editing;
  selected: string | null;
  onSelect: (id: string | null) => void;
  run: ReadonlyMap<string, RunState> | null;
}

type View = 'canvas' | 'outline' | 'json';

export function Editor(props: EditorProps): ReactNode {
  const { flow, status, mayEdit, editing, selected, onSelect, run, Canvas } = props;
  const stored = status.draft?.flowData ?? flow.flowData;
  const [view, setView] = useView();
  const [showsChanges, setShowsChanges] = useState(false);
  const updated = status.draft?.updatedDate ?? flow.updatedDate;
  const problems = useProblems(flow.id, updated).data ?? noProblems;
  const flowRead = useMemo(() => {
    const parsed = parseFlow(stored);
    return parsed.ok ? parsed.flow : null;
  }, [stored]);
  const diff = useMemo(
    () => (status.draft ? diffCanvas(flow.flowData, status.draft.flowData) : null),
    [flow.flowData, status.draft],
  );
  const marks = useMemo(() => (diff && showsChanges ? marksOf(diff) : undefined), [diff, showsChanges]);
  const byNode = useMemo(() => new Map(problems.map((one) => [one.id, one.issues])), [problems]);
  const node = flowRead?.nodes.find((one) => one.id === selected);
  const count = problems.reduce((sum, one) => sum + one.issues.length, 0);
  const goTo = (id: string): void => {
    if (view === 'json') setView('canvas');
    onSelect(id);
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
        <span className={css.source}>{status.draft ? t('canvas.showsDraft') : t('canvas.showsLive')}</span>
        <span className={css.push} />
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
        {count > 0 && (
          <Popover
            label={t('canvas.problemList')}
            align="end"
            width={360}
            trigger={
              <Button size="compact" variant="ghost" icon={TriangleAlert}>
                {t('canvas.problems', { count })}
              </Button>
            }
          >
            <ProblemList problems={problems} onGo={goTo} />
          </Popover>
        )}
      </div>
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
              <Button
                size="compact"
                onClick={() => {
                  editing.takeLocal();
                  setView('json');
                }}
              >
                {t('canvas.localTake')}
              </Button>
            </>
          }
        >
          {t('canvas.localText')} <RelativeTime date={new Date(editing.local.at).toISOString()} />
        </Banner>
      )}
      <div className={css.body}>
        <div className={css.main}>
          {view === 'json' ? (
            <JsonEditor {...props} stored={stored} />
          ) : view === 'outline' ? (
            <Outline flow={flowRead} problems={byNode} selected={selected} onSelect={onSelect} />
          ) : (
            <Canvas
              flowData={stored}
              label={t('canvas.canvasOf', { name: flow.name })}
              selected={selected}
              onSelect={onSelect}
              problems={byNode}
              {...(marks ? { marks } : {})}
              {...(run ? { run } : {})}
            />
          )}
        </div>
        {node && flowRead && view !== 'json' && (
          <SidePanel name="inspector" label={t('canvas.inspector')} first={340}>
            <Inspector
              key={node.id}
              node={node}
              flow={flowRead}
              problems={byNode.get(node.id) ?? []}
              onSelect={onSelect}
            />
          </SidePanel>
        )}
      </div>
    </div>
  );
}

const noProblems: readonly CardProblem[] = [];

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
