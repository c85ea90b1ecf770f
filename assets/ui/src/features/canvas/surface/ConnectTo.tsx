import { useMemo, type ReactNode } from 'react';
import { nodeLabel } from '../../../core/nodes';
import { CommandMenu, type CommandItem } from '../../../ui';
import type { Doc } from '../document/doc';
import { judgeFrom, placeOf, type End, type Refusal, type Wire } from '../document/rules';
import { t } from '../words';
import type { CardNode } from '../board/graph';
import { kindOf } from '../board/kinds';
import { endsOf, refusalOf } from './useLinking';

export interface ConnectToProps {
  doc: Doc;
  nodes: readonly CardNode[];
  /** The card that is connected; null while the list is closed. */
  id: string | null;
  onClose: () => void;
  onConnect: (wire: Wire) => void;
  /** A card was chosen that it cannot be connected with. */
  onRefused: (why: Refusal) => void;
}

/** Everything that a card can be connected with, as a list to search: connecting without pointing. */
export function ConnectTo({ doc, nodes, id, onClose, onConnect, onRefused }: ConnectToProps): ReactNode {
  const items = useMemo(
    () =>
      id === null ? [] : [...itemsOf(doc, nodes, id, onConnect), ...refusedOf(doc, nodes, id, onRefused)],
    [doc, nodes, id, onConnect, onRefused],
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

/** The other cards, each with why it cannot be connected: who looks for one of them learns that here. */
function refusedOf(
  doc: Doc,
  nodes: readonly CardNode[],
  id: string,
  onRefused: (why: Refusal) => void,
): CommandItem[] {
  const own = nodes.find((node) => node.id === id);
  if (!own) return [];
  const ends = endsOf(own).map((from) => ({ from, verdict: judgeFrom(doc, from) }));
  return nodes.flatMap((node): CommandItem[] => {
    if (node.id === id || node.type === 'frame') return [];
    const others = endsOf(node);
    if (ends.some(({ verdict }) => others.some((to) => verdict(to).ok))) return [];
    const all = ends.map(({ from }) => refusalOf(doc, from, node));
    const why = all.find((one) => !VAGUE.has(one.key)) ?? nothingFits(node);
    return [
      {
        id: `no ${node.id}`,
        label: nodeLabel(node.data.node),
        group: t('editor.connectNot'),
        icon: kindOf(node.data.node).icon,
        hint: t(why.key, why.values),
        run: () => onRefused(why),
      },
    ];
  });
}

/** Reasons that speak of one end: with several ends each is true of another pair of them. */
const VAGUE = new Set([
  'editor.no.type',
  'editor.no.input',
  'editor.no.output',
  'editor.no.end',
  'editor.no.start',
]);

const nothingFits = (node: CardNode): Refusal => ({
  key: 'editor.no.nothingFits',
  values: { name: nodeLabel(node.data.node) },
});

const nameOf = (node: CardNode, end: End): string =>
  node.type === 'card' ? placeOf(node.data.node, end.handle, end.side).label : '';

const outputOf = (node: CardNode, end: End): string =>
  node.data.ports.outputs.length > 1
    ? (node.data.ports.outputs.find((port) => port.id === end.handle)?.label ?? '')
    : '';
