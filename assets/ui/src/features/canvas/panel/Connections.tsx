import { Cable } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowEdge, FlowNode } from '../../../core/flowdata';
import { nodeLabel, portsOf, type Port } from '../../../core/nodes';
import { Button } from '../../../ui';
import type { BoardHandle } from '../surface/Board';
import { isStep, nodeIn, type Doc } from '../document/doc';
import { placeOf } from '../document/rules';
import { disconnect } from '../document/wires';
import type { DocumentHandle } from '../editing/useDocument';
import { t } from '../words';
import { CardLine } from './CardLine';
import css from './Panel.module.css';

export interface ConnectionsProps {
  document: DocumentHandle;
  doc: Doc;
  node: FlowNode;
  board: BoardHandle | null;
  onSelect: (id: string) => void;
}

/** What a card is connected with: to go there, to disconnect, and to connect without pointing at anything. */
export function Connections({ document, doc, node, board, onSelect }: ConnectionsProps): ReactNode {
  const incoming = doc.edges.filter((edge) => edge.target === node.id);
  const outgoing = doc.edges.filter((edge) => edge.source === node.id);
  const ports = portsOf(node, [...incoming, ...outgoing]);
  const goneOf = (handle: string, side: 'source' | 'target'): Port | undefined =>
    (side === 'target' ? ports.inputs : ports.outputs).find((one) => one.id === handle && one.gone);
  const list = (edges: readonly FlowEdge[], side: 'source' | 'target'): ReactNode =>
    edges.map((edge) => {
      const other = nodeIn(doc, side === 'target' ? edge.source : edge.target);
      const handle = (side === 'target' ? edge.targetHandle : edge.sourceHandle) ?? '';
      const gone = goneOf(handle, side);
      const place = gone ? gone.label : isStep(node) ? '' : placeOf(node, handle, side).label;
      const fault = !other
        ? t('editor.goneCard')
        : gone && t(side === 'target' ? 'editor.goneInput' : 'editor.goneOutput');
      const name = other ? nodeLabel(other) : side === 'target' ? edge.source : edge.target;
      return (
        <CardLine
          key={edge.id}
          name={name}
          lead={place || t(side === 'target' ? 'editor.connectIn' : 'editor.connectOut')}
          fault={fault}
          onGo={() => other && onSelect(other.id)}
          between={
            document.open && board && other && !gone
              ? { label: t('editor.putBetween', { name }), run: () => board.insert(edge.id) }
              : null
          }
          leave={
            document.open
              ? {
                  label: t('editor.disconnect', { name }),
                  run: () => document.apply((now) => disconnect(now, new Set([edge.id]))),
                }
              : null
          }
        />
      );
    });
  return (
    <section className={css.wires} aria-label={t('editor.connections')}>
      <h3>{t('editor.connections')}</h3>
      {incoming.length + outgoing.length > 0 ? (
        <ul>
          {list(incoming, 'target')}
          {list(outgoing, 'source')}
        </ul>
      ) : (
        <p className="note">{t('editor.noConnections')}</p>
      )}
      {document.open && board && (
        <Button size="compact" icon={Cable} className={css.addRow} onClick={() => board.connect(node.id)}>
          {t('editor.connectTo')}
        </Button>
      )}
    </section>
  );
}
