import { Copy } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useStored } from '../../../api/canvas';
import type { Flow } from '../../../api/models';
import { diffCanvas, isEmpty, type CanvasDiff } from '../../../core/canvasDiff';
import { prettyFlow } from '../../../core/flowtext';
import { Banner, Button, ChangeList, copyText, Dialog, Loaded, scrollRegion, toast } from '../../../ui';
import type { FlowSlotProps, NodeMark, View } from '../slots';
import { t } from '../words';
import css from './Conflict.module.css';
import type { Editing } from './useEditing';

export interface ConflictDialogProps {
  flow: Flow;
  editing: Editing;
  /** Edits go straight to Live. */
  live: boolean;
  Canvas: FlowSlotProps['Canvas'];
  onClose: () => void;
}

type Side = 'theirs' | 'mine';

/** Two people changed the same draft, or Live: what each has, side by side, and which is to stay. */
export default function ConflictDialog({
  flow,
  editing,
  live,
  Canvas,
  onClose,
}: ConflictDialogProps): ReactNode {
  const stored = useStored(flow.id);
  const mine = editing.text ?? '';
  const copy = async (): Promise<void> => {
    if (await copyText(prettyFlow(mine))) toast(t('editor.conflict.copied'));
  };
  const [taking, setTaking] = useState<Side | null>(null);
  const [refused, setRefused] = useState<Side | null>(null);
  const take = async (side: Side): Promise<void> => {
    setTaking(side);
    const done = await (side === 'theirs' ? editing.discard() : editing.keepMine());
    setTaking(null);
    if (done) return onClose();
    setRefused(side);
    // They may have gone on meanwhile.
    void stored.refetch();
  };
  const choice = (side: Side): ReactNode => (
    <Button busy={taking === side} disabled={taking !== null} onClick={() => void take(side)}>
      {t(`editor.conflict.${side}`)}
    </Button>
  );
  return (
    <Dialog
      open
      size="full"
      onClose={onClose}
      mayClose={() => taking === null}
      title={t(live ? 'canvas.conflictTitleLive' : 'canvas.conflictTitle')}
      description={t('editor.conflict.text')}
      footer={
        <>
          <Button icon={Copy} onClick={() => void copy()}>
            {t('editor.conflict.copy')}
          </Button>
          {choice('theirs')}
          {choice('mine')}
        </>
      }
    >
      {refused && !taking && editing.failure && (
        <Banner tone="danger" title={t(refused === 'mine' ? 'canvas.notSavedTitle' : 'kit.failed')}>
          {editing.failure.message}
        </Banner>
      )}
      <Loaded query={stored}>{(theirs) => <Sides theirs={theirs} mine={mine} Canvas={Canvas} />}</Loaded>
    </Dialog>
  );
}

interface SidesProps extends Pick<ConflictDialogProps, 'Canvas'> {
  theirs: string;
  mine: string;
}

function Sides({ theirs, mine, Canvas }: SidesProps): ReactNode {
  const diff = useMemo(() => diffCanvas(theirs, mine), [theirs, mine]);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const [selected, select] = useState<string | null>(null);
  const [view, setView] = useState<View | null>(null);
  const drawn = (flowData: string, name: string, of: Map<string, NodeMark>): ReactNode => (
    <section className={css.side} aria-label={name}>
      <h3>{name}</h3>
      <div className={css.canvas}>
        <Canvas
          flowData={flowData}
          label={name}
          marks={of}
          selected={selected}
          onSelect={select}
          {...(view ? { view } : {})}
          onView={setView}
        />
      </div>
    </section>
  );
  return (
    <div className={css.sides}>
      {drawn(theirs, t('editor.conflict.theirsTitle'), marks.theirs)}
      {drawn(mine, t('editor.conflict.mineTitle'), marks.mine)}
      <section className={css.list} aria-label={t('editor.conflict.differences')}>
        <h3>{t('editor.conflict.differences')}</h3>
        {isEmpty(diff) ? (
          <p className="note">{t('changes.none')}</p>
        ) : (
          <div ref={scrollRegion} className={css.changes} role="group" aria-label={t('editor.conflict.each')}>
            <ChangeList diff={diff} onNode={select} />
          </div>
        )}
      </section>
    </div>
  );
}

function marksOf(diff: CanvasDiff): { mine: Map<string, NodeMark>; theirs: Map<string, NodeMark> } {
  const [mine, theirs] = [new Map<string, NodeMark>(), new Map<string, NodeMark>()];
  for (const { id } of diff.moved) mine.set(id, 'moved');
  for (const { id } of diff.changed) {
    mine.set(id, 'changed');
    theirs.set(id, 'changed');
  }
  for (const { id } of diff.added) mine.set(id, 'added');
  for (const { id } of diff.removed) theirs.set(id, 'removed');
  return { mine, theirs };
}
