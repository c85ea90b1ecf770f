import {
  Cable,
  ChevronRight,
  Minus,
  Move,
  Pencil,
  Plus,
  TextCursorInput,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { CanvasDiff, FieldChange, NodeRef } from '../core/canvasDiff';
import { list } from '../core/format';
import { addWords, t } from '../i18n';
import { changes } from '../i18n/en/changes';
import css from './ChangeList.module.css';
import { cx } from './cx';
import { Diff } from './Diff';

addWords(changes);

export type ChangeKind = 'added' | 'removed' | 'changed' | 'moved' | 'renamed';

const icons: Record<ChangeKind, LucideIcon> = {
  added: Plus,
  removed: Minus,
  changed: Pencil,
  moved: Move,
  renamed: TextCursorInput,
};

/** The sign of a kind of change: colour, icon and word. */
export function ChangeMark({ kind }: { kind: ChangeKind }): ReactNode {
  const Icon = icons[kind];
  return (
    <span className={cx(css.mark, css[kind])}>
      <Icon size={12} aria-hidden />
      {t(`changes.${kind}`)}
    </span>
  );
}

/** So many sentences leave room for the list below them. */
const FEW = 10;

export interface ChangeListProps {
  diff: CanvasDiff;
  renamed?: { from: string; to: string } | null;
  /** Connections differ, but which ones is not known. */
  edgesChanged?: boolean;
  /** The same in words, a sentence for each change; the list stands below them, folded where they are many. */
  sentences?: readonly string[] | undefined;
  /** The sentences stand elsewhere already. */
  told?: boolean;
  /** Makes the names of nodes buttons. */
  onNode?: (id: string) => void;
}

/** What differs, in words: a sentence for each change. */
export function ChangeSentences({ sentences }: { sentences: readonly string[] | undefined }): ReactNode {
  if (!sentences || sentences.length === 0) return null;
  return (
    <ul className={css.sentences} aria-label={t('changes.inWords')}>
      {sentences.map((sentence, at) => (
        <li key={at}>{sentence}</li>
      ))}
    </ul>
  );
}

/** What differs between two canvases, a line each; changed fields open to their texts before and after. */
export function ChangeList({ sentences = [], told = false, ...props }: ChangeListProps): ReactNode {
  if (sentences.length === 0) return <Changes {...props} />;
  return (
    <>
      {!told && <ChangeSentences sentences={sentences} />}
      <details className={css.details} open={sentences.length <= FEW}>
        <summary className={css.summary}>
          <ChevronRight size={13} aria-hidden className={css.chevron} />
          {t('changes.each')}
        </summary>
        <Changes {...props} />
      </details>
    </>
  );
}

function Changes({
  diff,
  renamed,
  edgesChanged,
  onNode,
}: Omit<ChangeListProps, 'sentences' | 'told'>): ReactNode {
  const changed = new Set(diff.changed.map((node) => node.id));
  const moved = diff.moved.filter((node) => !changed.has(node.id));
  const line = (kind: ChangeKind, node: NodeRef): ReactNode => (
    <li key={`${kind} ${node.id}`} className={css.line}>
      <ChangeMark kind={kind} />
      <Name node={node} onNode={onNode} />
    </li>
  );
  return (
    <ul className={css.list}>
      {renamed && (
        <li className={css.line}>
          <ChangeMark kind="renamed" />
          <span>
            <del className={css.before}>{renamed.from}</del> <ins className={css.after}>{renamed.to}</ins>
          </span>
        </li>
      )}
      {diff.added.map((node) => line('added', node))}
      {diff.removed.map((node) => line('removed', node))}
      {diff.changed.map((node) => (
        <li key={`changed ${node.id}`} className={css.block}>
          <div className={css.line}>
            <ChangeMark kind="changed" />
            <Name node={node} onNode={onNode} />
          </div>
          <ul className={css.fields}>
            {node.fields.map((field) => (
              <li key={field.name}>
                <Field field={field} of={node.label} />
              </li>
            ))}
          </ul>
        </li>
      ))}
      {moved.length > 0 && (
        <li className={css.line}>
          <ChangeMark kind="moved" />
          <span className={css.names}>
            {moved.map((node) => (
              <Name key={node.id} node={node} onNode={onNode} />
            ))}
          </span>
        </li>
      )}
      {diff.edges.map((edge, at) => (
        <li key={`edge ${at}`} className={css.line}>
          <ChangeMark kind={edge.kind} />
          <span className={css.edge}>
            <Cable size={13} aria-hidden />
            <span className="sr-only">{t('changes.connection')}</span>
            {edge.from} → {edge.to}
            {edge.input && <span className={css.muted}>{edge.input}</span>}
          </span>
        </li>
      ))}
      {edgesChanged && diff.edges.length === 0 && (
        <li className={css.line}>
          <ChangeMark kind="changed" />
          <span className={css.edge}>
            <Cable size={13} aria-hidden />
            {t('changes.connectionsChanged')}
          </span>
        </li>
      )}
    </ul>
  );
}

function Name({ node, onNode }: { node: NodeRef; onNode: ChangeListProps['onNode'] }): ReactNode {
  if (!onNode) return <span className={css.name}>{node.label}</span>;
  return (
    <button type="button" className={cx(css.name, css.link)} onClick={() => onNode(node.id)}>
      {node.label}
    </button>
  );
}

/** Texts of this length and less are shown in the line. */
const SHORT = 60;

function Field({ field, of }: { field: FieldChange; of: string }): ReactNode {
  const { label, before, after } = field;
  if (before === null && after === null) return <span className={css.label}>{label}</span>;
  if ([before, after].every((text) => !text || (text.length <= SHORT && !text.includes('\n')))) {
    return (
      <span className={css.short}>
        <span className={css.label}>{label}</span>
        {before === null ? <Nothing /> : <del className={css.before}>{before}</del>}
        <span aria-hidden>→</span>
        {after === null ? <Nothing /> : <ins className={css.after}>{after}</ins>}
      </span>
    );
  }
  return (
    <details className={css.details} open>
      <summary className={css.summary}>
        <ChevronRight size={13} aria-hidden className={css.chevron} />
        {label}
      </summary>
      <Diff
        before={before ?? ''}
        after={after ?? ''}
        label={t('changes.field', { field: label, name: of })}
      />
    </details>
  );
}

const Nothing = (): ReactNode => <span className={css.muted}>{t('changes.empty')}</span>;

/** "1 added, 2 changed, connections". */
export function changeSum(diff: CanvasDiff, edgesChanged = diff.edges.length > 0): string {
  const counts = (['added', 'removed', 'changed', 'moved'] as const)
    .filter((kind) => diff[kind].length > 0)
    .map((kind) => t(`changes.sum.${kind}`, { count: diff[kind].length }));
  const all = edgesChanged ? [...counts, t('changes.sum.connections')] : counts;
  return all.length > 0 ? list(all) : t('changes.none.sum');
}
