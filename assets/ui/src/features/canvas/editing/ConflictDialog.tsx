import { Copy } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useStored } from '../../../api/canvas';
import type { Flow } from '../../../api/models';
import { diffCanvas, isEmpty, type CanvasDiff } from '../../../core/canvasDiff';
import { prettyFlow } from '../../../core/flowtext';
import { Button, ChangeList, copyText, Dialog, Loaded, scrollRegion, toast } from '../../../ui';
import type { FlowSlotProps, NodeMark } from '../slots';
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
  const take = async (work: () => Promise<unknown>): Promise<void> => {
    await work();
    onClose();
  };
  return (
    <Dialog
      open
      size="full"
      onClose={onClose}
      title={t(live ? 'canvas.conflictTitleLive' : 'canvas.conflictTitle')}
      description={t('editor.conflict.text')}
      footer={
        <>
          <Button icon={Copy} onClick={() => void copy()}>
            {t('editor.conflict.copy')}
          </Button>
          <Button onClick={() => void take(editing.discard)}>{t('editor.conflict.theirs')}</Button>
          <Button onClick={() => void take(editing.keepMine)}>{t('editor.conflict.mine')}</Button>
        </>
      }
    >
      <Loaded query={stored}>{(theirs) => <Sides theirs={theirs} mine={mine} Canvas={Canvas} />}</Loaded>
    </Dialog>
  );
}

function Sides({
  theirs,
  mine,
  Canvas,
}: {
  theirs: string;
  mine: string;
  Canvas: FlowSlotProps['Canvas'];
}): ReactNode {
  const diff = useMemo(() => diffCanvas(theirs, mine), [theirs, mine]);
  const sides = useMemo(() => marksOf(diff), [diff]);
  return (
    <div className={css.sides}>
      <section className={css.side} aria-label={t('editor.conflict.theirsTitle')}>
        <h3>{t('editor.conflict.theirsTitle')}</h3>
        <div className={css.canvas}>
          <Canvas flowData={theirs} label={t('editor.conflict.theirsTitle')} marks={sides.theirs} />
        </div>
      </section>
      <section className={css.side} aria-label={t('editor.conflict.mineTitle')}>
        <h3>{t('editor.conflict.mineTitle')}</h3>
        <div className={css.canvas}>
          <Canvas flowData={mine} label={t('editor.conflict.mineTitle')} marks={sides.mine} />
        </div>
      </section>
      <section className={css.list} aria-label={t('editor.conflict.differences')}>
        <h3>{t('editor.conflict.differences')}</h3>
        {isEmpty(diff) ? (
          <p className="note">{t('changes.none')}</p>
        ) : (
          <div ref={scrollRegion} className={css.changes} role="group" aria-label={t('editor.conflict.each')}>
            <ChangeList diff={diff} />
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
