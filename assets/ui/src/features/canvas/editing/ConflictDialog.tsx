import { Cable, CirclePlus, Copy, PencilLine, Trash2, type LucideIcon } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useStored } from '../../../api/canvas';
import type { Flow } from '../../../api/models';
import { diffCanvas, type CanvasDiff } from '../../../core/canvasDiff';
import { prettyFlow } from '../../../core/flowtext';
import { Button, copyText, Dialog, Loaded, scrollRegion, toast } from '../../../ui';
import type { FlowSlotProps, NodeMark } from '../slots';
import { t } from '../words';
import css from './Conflict.module.css';
import type { Editing } from './useEditing';

export interface ConflictDialogProps {
  flow: Flow;
  editing: Editing;
  Canvas: FlowSlotProps['Canvas'];
  onClose: () => void;
}

/** Two people changed the same draft: what each has, side by side, and which is to stay. */
export default function ConflictDialog({ flow, editing, Canvas, onClose }: ConflictDialogProps): ReactNode {
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
      title={t('canvas.conflictTitle')}
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
  const sides = useMemo(() => (diff ? marksOf(diff) : null), [diff]);
  return (
    <div className={css.sides}>
      <section className={css.side} aria-label={t('editor.conflict.theirsTitle')}>
        <h3>{t('editor.conflict.theirsTitle')}</h3>
        <div className={css.canvas}>
          <Canvas
            flowData={theirs}
            label={t('editor.conflict.theirsTitle')}
            {...(sides ? { marks: sides.theirs } : {})}
          />
        </div>
      </section>
      <section className={css.side} aria-label={t('editor.conflict.mineTitle')}>
        <h3>{t('editor.conflict.mineTitle')}</h3>
        <div className={css.canvas}>
          <Canvas
            flowData={mine}
            label={t('editor.conflict.mineTitle')}
            {...(sides ? { marks: sides.mine } : {})}
          />
        </div>
      </section>
      {diff && (
        <ul ref={scrollRegion} className={css.list} aria-label={t('editor.conflict.differences')}>
          {lines(diff).map(({ icon: Icon, text, note }, at) => (
            <li key={at}>
              <Icon size={14} aria-hidden />
              <span>{text}</span>
              <span className="note">{note}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface Line {
  icon: LucideIcon;
  text: string;
  note: string;
}

function lines(diff: CanvasDiff): Line[] {
  return [
    ...diff.added.map((one) => ({ icon: CirclePlus, text: one.label, note: t('editor.conflict.onlyMine') })),
    ...diff.removed.map((one) => ({ icon: Trash2, text: one.label, note: t('editor.conflict.onlyTheirs') })),
    ...diff.changed.map((one) => ({
      icon: PencilLine,
      text: one.label,
      note: one.fields.map((field) => field.label).join(', '),
    })),
    ...diff.edges.map((edge) => ({
      icon: Cable,
      text: t('canvas.edge', { from: edge.from, to: edge.to }),
      note: t(edge.kind === 'added' ? 'editor.conflict.onlyMine' : 'editor.conflict.onlyTheirs'),
    })),
  ];
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
