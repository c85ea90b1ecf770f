import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { TooltipProvider } from '../../../ui';
import type { Definition } from '../document/doc';
import * as references from '../document/references';
import { canvasOf, cards } from '../document/samples';
import type { DocumentHandle } from '../editing/useDocument';
import CardPanel from './CardPanel';

vi.mock('../document/references', { spy: true });
afterEach(cleanup);

const text = (name: string): Definition['inputs'][number] => ({
  name,
  label: name,
  type: 'string',
  acceptVariable: true,
});
const llm: Definition = { ...cards.llm, inputs: [text('first'), text('second'), text('third')] };
const all = [llm];
const none: ReadonlySet<string> = new Set();
const { doc } = canvasOf('llm');
const [node] = doc.nodes;
const document = { doc, open: true, apply: vi.fn() } as unknown as DocumentHandle;
const nothing = (): null => null;

test('what texts can name is found once for all fields of a card, while the canvas stays', () => {
  const client = new QueryClient();
  client.setQueryData(['me'], { id: 'ada', activeWorkspaceId: 'w', permissions: [] });
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  if (!node) throw new Error('no card');
  const page = (): ReactNode => (
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <CardPanel
          document={document}
          doc={doc}
          node={node}
          kind="steps"
          cards={all}
          problems={null}
          overridable={none}
          NewCredential={nothing}
          start={null}
          board={null}
          renaming={null}
          onSelect={vi.fn()}
        />
      </TooltipProvider>
    </QueryClientProvider>
  );
  const view = render(page());
  expect(screen.getAllByRole('textbox').length).toBeGreaterThan(3);
  view.rerender(page());
  expect(references.offersFor).toHaveBeenCalledTimes(1);
  vi.unstubAllGlobals();
});

test('a group is duplicated and deleted with its cards, as on the canvas', async () => {
  if (!node) throw new Error('no card');
  const group = {
    id: 'g',
    type: 'stickyNote',
    position: { x: 0, y: 0 },
    data: { id: 'g', name: 'stickyNoteAgentflow', label: 'Drafts', group: [node.id] },
  };
  const withGroup = { ...doc, nodes: [...doc.nodes, group] };
  const apply = vi.fn();
  const board = { duplicate: vi.fn() };
  const client = new QueryClient();
  client.setQueryData(['me'], { id: 'ada', activeWorkspaceId: 'w', permissions: [] });
  render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <CardPanel
          document={{ doc: withGroup, open: true, apply } as unknown as DocumentHandle}
          doc={withGroup}
          node={group}
          kind="steps"
          cards={all}
          problems={null}
          overridable={none}
          NewCredential={nothing}
          start={null}
          board={board as never}
          renaming={null}
          onSelect={vi.fn()}
        />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  const choose = async (name: string): Promise<void> => {
    await userEvent.click(screen.getByRole('button', { name: 'More for this card' }));
    await userEvent.click(screen.getByRole('menuitem', { name }));
  };
  await choose('Duplicate');
  expect(board.duplicate).toHaveBeenCalledWith([node.id, 'g']);
  await choose('Delete with its 1 card');
  const change = apply.mock.lastCall?.[0] as (now: typeof withGroup) => typeof withGroup;
  expect(change(withGroup).nodes).toEqual([]);
});
