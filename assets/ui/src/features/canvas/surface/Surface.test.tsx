import { act, cleanup, render } from '@testing-library/react';
import { memo, type ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TooltipProvider } from '../../../ui';
import type { Definition } from '../document/doc';
import { writeDoc } from '../document/doc';
import { moveNodes, setInput } from '../document/edit';
import { canvasOf, cards } from '../document/samples';
import { useDocument, type DocumentHandle } from '../editing/useDocument';
import type { Editing } from '../editing/useEditing';
import Board from './Board';

const drawn = vi.hoisted(() => ({ cards: [] as string[] }));

vi.mock('../board/CardNode', async () => {
  const { useLook } = await import('../board/look');
  const Card = memo(function Card({ id }: { id: string }) {
    useLook();
    drawn.cards.push(id);
    return null;
  });
  return { Card, Step: Card, Note: Card, Area: Card };
});

const stored = writeDoc(canvasOf('model', 'chain', 'tool').doc);
const all: readonly Definition[] = Object.values(cards);
const none: ReadonlyMap<string, never> = new Map<string, never>();
const onSelect = vi.fn();
const onReady = vi.fn();
const editing = { text: null, asStored: null, fault: null, local: null, draw: vi.fn() };
let handle: DocumentHandle;

function Page(): ReactNode {
  const document = useDocument(editing as unknown as Editing, stored, true);
  // eslint-disable-next-line react-hooks/globals
  handle = document;
  if (!document.doc) return null;
  return (
    <Board
      document={document}
      doc={document.doc}
      kind="cards"
      cards={all}
      label="Canvas"
      selected={null}
      onSelect={onSelect}
      onRename={onSelect}
      problems={none}
      credentials={null}
      docked
      onDock={onSelect}
      onBeginTeam={null}
      onReady={onReady}
    />
  );
}

beforeEach(() => {
  vi.clearAllMocks();
});
afterEach(cleanup);

test('a change of one card draws no other, and hands out nothing anew', () => {
  render(<Page />, { wrapper: TooltipProvider });
  drawn.cards = [];
  for (const value of ['0.1', '0.2', '0.3'])
    act(() => handle.apply((doc) => setInput(doc, 'chatModel_0', 'temperature', value), 'set'));
  act(() => handle.apply((doc) => moveNodes(doc, new Map([['chatModel_0', { x: 10, y: 10 }]]))));
  expect(new Set(drawn.cards)).toEqual(new Set(['chatModel_0']));
  expect(onReady).toHaveBeenCalledTimes(1);
});
