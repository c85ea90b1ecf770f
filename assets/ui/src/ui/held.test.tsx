import { render, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { holdsEdits, losesEdits } from '../core/unsaved';
import { EmailField, FormDialog, TooltipProvider, useForm, useUnsaved } from './index';

function Rename({ send = () => Promise.resolve() }: { send?: () => Promise<void> }): ReactNode {
  const form = useForm({ email: '' }, { send });
  return (
    <TooltipProvider>
      <FormDialog form={form} onClose={() => undefined} title="Rename" action="Rename">
        <EmailField label="Name" {...form.field('email')} />
      </FormDialog>
    </TooltipProvider>
  );
}

describe('the end of a session leaves the page as it is', () => {
  it('while settings are not saved', () => {
    const { unmount } = renderHook(() => useUnsaved(true, '/flows/f/settings'));
    expect([holdsEdits(), losesEdits('/')]).toEqual([true, true]);
    unmount();
    expect(holdsEdits()).toBe(false);
  });

  it('while something is typed into a dialog, until the person closes it', async () => {
    const { unmount } = render(<Rename />);
    expect(holdsEdits()).toBe(false);
    await userEvent.type(screen.getByLabelText('Name'), 'New');
    expect([holdsEdits(), losesEdits('/')]).toEqual([true, true]);
    const reload = new Event('beforeunload', { cancelable: true });
    dispatchEvent(reload);
    expect(reload.defaultPrevented).toBe(true);
    // What its own buttons lead to is wanted: nobody is asked a second time.
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(losesEdits('/')).toBe(false);
    unmount();
    expect(holdsEdits()).toBe(false);
  });

  it('and asks nobody when a dialog goes elsewhere with what it has sent', async () => {
    const led: boolean[] = [];
    const send = async (): Promise<void> => {
      await new Promise((done) => setTimeout(done));
      led.push(losesEdits('/'));
    };
    render(<Rename send={send} />);
    await userEvent.type(screen.getByLabelText('Name'), 'New');
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    await waitFor(() => expect(led).toEqual([false]));
    await waitFor(() => expect(losesEdits('/')).toBe(true));
  });
});
