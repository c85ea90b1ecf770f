import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { DeleteDialog, TooltipProvider } from './index';

describe('DeleteDialog', () => {
  const asked = async (named: boolean | undefined, error: Error | null): Promise<unknown> => {
    const mutate = vi.fn();
    const { unmount } = render(
      <TooltipProvider>
        <DeleteDialog
          id="a"
          remove={{ isPending: false, error, mutate }}
          onClose={vi.fn()}
          title="Delete it?"
          confirm="Delete it"
          done="Gone"
          named={named}
        >
          <p>It is used.</p>
        </DeleteDialog>
      </TooltipProvider>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Delete it' }));
    unmount();
    expect(document.querySelector('[inert]')).toBe(null);
    return (mutate.mock.calls[0] as unknown[])[0];
  };
  const conflict = Object.assign(new Error('Flows use it.'), { status: 409 });

  it('sends that the flows are known only when they were named', async () => {
    expect(await asked(true, null)).toEqual({ id: 'a', force: true });
    expect(await asked(false, null)).toEqual({ id: 'a', force: false });
    expect(await asked(false, conflict)).toEqual({ id: 'a', force: true });
    expect(await asked(undefined, conflict)).toEqual({ id: 'a' });
  });
});
