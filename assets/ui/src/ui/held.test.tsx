import { render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { holdsEdits, losesEdits } from '../core/unsaved';
import { EmailField, FormDialog, TooltipProvider, useForm, useUnsaved } from './index';

function Rename(): ReactNode {
  const form = useForm({ email: '' }, { send: () => Promise.resolve() });
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

  it('while something is typed into a dialog, which may close by itself and go elsewhere', async () => {
    const { unmount } = render(<Rename />);
    expect(holdsEdits()).toBe(false);
    await userEvent.type(screen.getByLabelText('Name'), 'New');
    expect([holdsEdits(), losesEdits('/')]).toEqual([true, false]);
    unmount();
    expect(holdsEdits()).toBe(false);
  });
});
