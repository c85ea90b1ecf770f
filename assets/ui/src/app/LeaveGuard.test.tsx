import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { holdUnsaved } from '../core/unsaved';
import { giveUpEdits, LeaveGuard } from './LeaveGuard';

let letGo = (): void => undefined;
afterEach(() => letGo());

describe('who signs out', () => {
  it('has sent first what sends itself', async () => {
    render(<LeaveGuard>page</LeaveGuard>);
    const order: string[] = [];
    letGo = holdUnsaved({ stays: () => true, send: () => Promise.resolve(order.push('sent') > 0) });
    await act(() => giveUpEdits(() => order.push('gone')));
    expect(order).toEqual(['sent', 'gone']);
  });

  it('is asked about edits that cannot be sent', async () => {
    render(<LeaveGuard>page</LeaveGuard>);
    const go = vi.fn();
    letGo = holdUnsaved({ stays: () => true, send: () => Promise.resolve(false) });
    await act(() => giveUpEdits(go));
    expect(go).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
    expect(go).toHaveBeenCalledOnce();
  });
});
