import { useMemo, type ReactNode } from 'react';
import { nodeLabel } from '../../../core/nodes';
import { CommandMenu, type CommandItem } from '../../../ui';
import type { Doc } from '../document/doc';
import { judgeFrom, placeOf, type End, type Wire } from '../document/rules';
import { t } from '../words';
import type { CardNode } from '../board/graph';
import { kindOf } from '../board/kinds';
import { endsOf } from './useLinking';

export interface ConnectToProps {
  doc: Doc;
  nodes: readonly CardNode[];
  /** The card that is connected; null while the list is closed. */
  id: string | null;
  onClose: () => void;
  onConnect: (wire: Wire) => void;
}

/** Everything that a card can be connected with, as a list to search: connecting without pointing. */
export function ConnectTo({ doc, nodes, id, onClose, onConnect }: ConnectToProps): ReactNode {
  const items = useMemo(
    () => (id === null ? [] : itemsOf(doc, nodes, id, onConnect)),
    [doc, nodes, id, onConnect],
  );
  return (
    <CommandMenu
      open={id !== null}
      onClose={onClose}
      items={items}
      label={t('editor.connectTo')}
      placeholder={t('editor.connectSearch')}
    />
  );
}

function itemsOf(
  doc: Doc,
  nodes: readonly CardNode[],
  id: string,
  onConnect: (wire: Wire) => void,
): CommandItem[] {
  const own = nodes.find((node) => node.id === id);
  if (!own) return [];
  const others = nodes.filter((node) => node.id !== id);
  return endsOf(own).flatMap((from) => {
    const verdict = judgeFrom(doc, from);
    return others.flatMap((node) =>
      endsOf(node).flatMap((to): CommandItem[] => {
        const found = verdict(to);
        if (!found.ok) return [];
        const place = to.side === 'target' ? nameOf(node, to) : nameOf(own, from);
        const output = from.side === 'source' ? outputOf(own, from) : '';
        return [
          {
            id: `${from.handle} ${node.id} ${to.handle}`,
            label: [nodeLabel(node.data.node), output].filter(Boolean).join(' · '),
            group: t(from.side === 'source' ? 'editor.connectOut' : 'editor.connectIn'),
            icon: kindOf(node.data.node).icon,
            hint: place,
            run: () => onConnect(found.wire),
          },
        ];
      }),
    );
  });
}

const nameOf = (node: CardNode, end: End): string =>
  node.type === 'card' ? placeOf(node.data.node, end.handle, end.side).label : '';

const outputOf = (node: CardNode, end: End): string =>
  node.data.ports.outputs.length > 1
    ? (node.data.ports.outputs.find((port) => port.id === end.handle)?.label ?? '')
    : '';
