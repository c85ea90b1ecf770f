import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { DeleteRecord, TooltipProvider } from './index';

describe('DeleteRecord', () => {
  const asked = async (count: number | null, error: Error | null): Promise<unknown> => {
    const mutate = vi.fn();
    const { unmount } = render(
      <TooltipProvider>
        <DeleteRecord
          texts="tools"
          id="a"
          name="A"
          remove={{ isPending: false, error, mutate, reset: vi.fn() }}
          affected={
            count === null ? undefined : { text: 'It is used.', flows: { count, drafts: 0, flows: [] } }
          }
          onClose={vi.fn()}
        />
      </TooltipProvider>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Delete tool' }));
    unmount();
    expect(document.querySelector('[inert]')).toBe(null);
    return (mutate.mock.calls[0] as unknown[])[0];
  };
  const conflict = Object.assign(new Error('Flows use it.'), { status: 409 });

  it('sends that the flows are known only when they were named', async () => {
    expect(await asked(2, null)).toEqual({ id: 'a', force: true });
    expect(await asked(0, null)).toEqual({ id: 'a', force: false });
    expect(await asked(0, conflict)).toEqual({ id: 'a', force: true });
    expect(await asked(null, conflict)).toEqual({ id: 'a' });
  });
});
