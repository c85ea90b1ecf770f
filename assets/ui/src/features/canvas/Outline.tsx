import { TriangleAlert, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Doc } from './document/doc';
import { list } from '../../core/format';
import type { FlowNode } from '../../core/flowdata';
import { cardName, inOrder, isNote, nodeLabel, noteText } from '../../core/nodes';
import { levels } from './levels';
import type { NodeProblems } from './slots';
import { groupOf, isGroup, membersOf } from './document/groups';
import { Badge, EmptyState, Tile } from '../../ui';
import css from './Editor.module.css';
import { kindOf } from './board/kinds';
import { t } from './words';

export interface OutlineProps {
  flow: Doc | null;
  problems: ReadonlyMap<string, NodeProblems>;
  selected: string | null;
  onSelect: (id: string | null) => void;
}

/** The canvas as a list, in reading order: for narrow pages, and for whoever does not see the drawing. */
export function Outline({ flow, problems, selected, onSelect }: OutlineProps): ReactNode {
  if (!flow)
    return (
      <EmptyState icon={TriangleAlert} title={t('canvas.unreadable')}>
        {t('canvas.unreadableText')}
      </EmptyState>
    );
  if (flow.nodes.length === 0)
    return (
      <EmptyState icon={Workflow} title={t('canvas.empty')}>
        {t('canvas.emptyText')}
      </EmptyState>
    );
  const names = new Map(flow.nodes.map((node) => [node.id, nodeLabel(node)]));
  const of = (ids: string[]): string => list([...new Set(ids)].map((id) => names.get(id) ?? id));
  return (
    <div className={css.outline}>
      <ul aria-label={t('canvas.outline')}>
        {inOrder(flow.nodes).map((node) => {
          const kind = kindOf(node);
          const wrong = problems.get(node.id);
          const from = of(flow.edges.filter((edge) => edge.target === node.id).map((edge) => edge.source));
          const to = of(flow.edges.filter((edge) => edge.source === node.id).map((edge) => edge.target));
          const group = groupOf(flow, node.id);
          return (
            <li key={node.id} className={css.item} data-selected={node.id === selected || undefined}>
              <button
                type="button"
                data-node={node.id}
                className={css.itemFace}
                aria-pressed={node.id === selected}
                onClick={() => onSelect(node.id)}
              >
                <Tile icon={kind.icon} hue={kind.hue} />
                <span className={css.itemWords}>
                  <strong>{isNote(node) && !isGroup(node) ? t('canvas.note') : nodeLabel(node)}</strong>
                  <span className={css.muted}>{about(flow, node)}</span>
                </span>
                {wrong && (
                  <Badge tone={levels[wrong.level].tone} icon={levels[wrong.level].icon}>
                    {t(levels[wrong.level].key, { count: wrong.issues.length })}
                  </Badge>
                )}
              </button>
              {(from || to || group) && (
                <div className={css.wires}>
                  {group && <p>{t('canvas.inGroup', { name: nodeLabel(group) })}</p>}
                  {from && <p>{t('canvas.from', { names: from })}</p>}
                  {to && <p>{t('canvas.to', { names: to })}</p>}
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function about(flow: Doc, node: FlowNode): string {
  if (isGroup(node)) return t('canvas.groupOf', { count: membersOf(flow, node).length });
  return isNote(node) ? noteText(node) : cardName(node);
}
