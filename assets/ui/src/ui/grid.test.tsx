import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { FormDialog } from './FormDialog';
import { Field, Input } from './Field';
import { OnceDialog } from './OnceDialog';
import { PermissionGrid } from './PermissionGrid';
import { TooltipProvider } from './Tooltip';
import { useForm } from './useForm';

const names = (...list: string[]) => list.map((key) => ({ key, value: key }));
const catalogue = {
  chatflows: names('chatflows:view', 'chatflows:update', 'chatflows:delete'),
  logs: names('logs:view'),
};
const changed = vi.fn();
afterEach(() => changed.mockClear());

function Grid({
  may = () => true,
  first = [],
}: {
  may?: (name: string) => boolean;
  first?: string[];
}): ReactNode {
  const [value, setValue] = useState(first);
  return (
    <PermissionGrid
      catalogue={catalogue}
      value={value}
      may={may}
      onChange={(next) => {
        changed(next);
        setValue(next);
      }}
    />
  );
}

const row = (name: string) => within(screen.getByRole('group', { name }));

test('presets, whole resources and single permissions are chosen', async () => {
  const user = userEvent.setup();
  render(<Grid />);
  await user.click(screen.getByRole('radio', { name: 'Read' }));
  expect(changed).toHaveBeenLastCalledWith(['chatflows:view', 'logs:view']);
  await user.click(row('Chatflows').getByRole('checkbox', { name: 'Delete' }));
  expect(changed).toHaveBeenLastCalledWith(['chatflows:view', 'chatflows:delete', 'logs:view']);
  expect(row('Chatflows').getByRole('checkbox', { name: 'Chatflows' }).getAttribute('aria-checked')).toBe(
    'mixed',
  );
  expect(screen.getByText('3 permissions chosen.')).toBeTruthy();
  await user.click(row('Chatflows').getByRole('checkbox', { name: 'Chatflows' }));
  expect(screen.getByRole('radio', { name: 'Everything' }).getAttribute('aria-checked')).toBe('true');
  await user.click(row('Logs').getByRole('checkbox', { name: 'Logs' }));
  expect(changed.mock.lastCall?.[0]).not.toContain('logs:view');
});

test('nobody gives what they do not hold, and unknown permissions are kept', async () => {
  const user = userEvent.setup();
  render(<Grid may={(name) => name === 'chatflows:view'} first={['later:thing']} />);
  expect(screen.getByText(/only give what you hold/)).toBeTruthy();
  expect(row('Logs').getByRole<HTMLButtonElement>('checkbox', { name: 'View' }).disabled).toBe(true);
  await user.click(row('Chatflows').getByRole('checkbox', { name: 'Chatflows' }));
  expect(changed).toHaveBeenLastCalledWith(['chatflows:view', 'later:thing']);
});

class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

function Form({ onClose, send }: { onClose: () => void; send: () => Promise<unknown> }): ReactNode {
  const form = useForm({ name: '' }, { send, place: (error) => (error.status === 409 ? 'name' : 'form') });
  return (
    <TooltipProvider>
      <FormDialog form={form} onClose={onClose} title="Rename" action="Save">
        <Field label="Name" error={form.errors.name}>
          <Input value={form.values.name} onChange={(event) => form.set('name', event.target.value)} />
        </Field>
      </FormDialog>
    </TooltipProvider>
  );
}

test('a form shows a refusal beside its field, and is not lost by Escape', async () => {
  const user = userEvent.setup();
  const onClose = vi.fn();
  render(<Form onClose={onClose} send={() => Promise.reject(new Refused('This name is taken.', 409))} />);
  await user.type(screen.getByLabelText('Name'), 'a{Enter}');
  expect((await screen.findByRole('alert')).textContent).toBe('This name is taken.');
  expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true');
  await user.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByText('Not saved yet.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(onClose).toHaveBeenCalledOnce();
});

test('what is shown once is let go only after it was stored', async () => {
  const user = userEvent.setup();
  const onDone = vi.fn();
  render(
    <TooltipProvider>
      <OnceDialog
        title="Key"
        text="Now"
        label="Key"
        value="fk_1"
        copy="Copy"
        stored="Stored"
        onDone={onDone}
      />
    </TooltipProvider>,
  );
  await user.keyboard('{Escape}');
  expect(onDone).not.toHaveBeenCalled();
  expect(screen.getByText(/Tick the box first/)).toBeTruthy();
  await user.click(screen.getByRole('checkbox', { name: 'Stored' }));
  await user.click(screen.getByRole('button', { name: 'Done' }));
  expect(onDone).toHaveBeenCalledOnce();
});
