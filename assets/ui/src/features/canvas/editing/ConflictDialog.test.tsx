import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Flow } from '../../../api/models';
import { TooltipProvider } from '../../../ui';
import ConflictDialog from './ConflictDialog';
import { canvas, pretty } from './editing-support';
import type { Editing } from './useEditing';

afterEach(() => vi.unstubAllGlobals());

const failure = {
  message: 'The disk is full.',
  conflict: true,
  away: false,
  passing: true,
  retryAfter: null,
};

/** Shows the comparison; taking either side ends with this. */
function compared(taken: Promise<boolean>) {
  const fetched = vi.fn(() =>
    Promise.resolve(Response.json({ draft: { flowData: canvas('theirs'), updatedDate: 'date 2' } })),
  );
  vi.stubGlobal('fetch', fetched);
  const onClose = vi.fn();
  const editing = { text: pretty('mine'), failure, discard: () => taken, keepMine: () => taken };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <ConflictDialog
          flow={{ id: 'f' } as Flow}
          editing={editing as unknown as Editing}
          live={false}
          Canvas={({ label, selected }) => `${label} at ${selected}`}
          onClose={onClose}
        />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { onClose, fetched };
}

test('taking one of two canvases closes the comparison once it went through', async () => {
  let done: (taken: boolean) => void = () => undefined;
  const { onClose } = compared(
    new Promise((resolve) => {
      done = resolve;
    }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Take mine' }));
  // Neither a second choice nor Escape comes in between.
  await userEvent.keyboard('{Escape}');
  await userEvent.click(screen.getByRole('button', { name: 'Take theirs' }));
  expect(onClose).not.toHaveBeenCalled();
  done(true);
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

test.each([
  ['Take theirs', 'This could not be loaded'],
  ['Take mine', 'Your edits were not saved'],
])('%s that is refused says why, and compares with what is there by then', async (choice, title) => {
  const { onClose, fetched } = compared(Promise.resolve(false));
  await screen.findByRole('heading', { name: 'What yours changes of theirs' });
  const before = fetched.mock.calls.length;
  await userEvent.click(screen.getByRole('button', { name: choice }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain(title);
  expect(alert.textContent).toContain('The disk is full.');
  await waitFor(() => expect(fetched.mock.calls.length).toBeGreaterThan(before));
  expect(onClose).not.toHaveBeenCalled();
  screen.getByRole('button', { name: 'Copy mine out' });
});

test('a change leads to its card on both canvases', async () => {
  compared(Promise.resolve(true));
  await userEvent.click(await screen.findByRole('button', { name: 'mine' }));
  screen.getByText('Theirs at mine');
  screen.getByText('Yours at mine');
});
