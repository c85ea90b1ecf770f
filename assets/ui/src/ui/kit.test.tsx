import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Dialog,
  Field,
  Input,
  Loaded,
  Menu,
  SearchField,
  Switch,
  Table,
  TooltipProvider,
} from './index';

const show = (element: ReactNode) => render(<TooltipProvider>{element}</TooltipProvider>);

describe('Field', () => {
  it('ties label, help and error to its control', () => {
    show(
      <Field label="Name" help="Shown to others" error="Too long" required>
        <Input />
      </Field>,
    );
    const input = screen.getByLabelText(/Name/);
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(input.getAttribute('aria-required')).toBe('true');
    const described = (input.getAttribute('aria-describedby') ?? '').split(' ');
    expect(described.map((id) => document.getElementById(id)?.textContent)).toEqual([
      'Shown to others',
      'Too long',
    ]);
  });
});

function Opening({ kind }: { kind: 'dialog' | 'confirm' }): ReactNode {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <main tabIndex={-1}>
      <Menu items={[{ label: 'Rename', onSelect: () => setOpen(true) }]}>
        <Button>More</Button>
      </Menu>
      {open && kind === 'dialog' && (
        <Dialog open onClose={close} title="Rename">
          <Input aria-label="Name" />
        </Dialog>
      )}
      {open && kind === 'confirm' && (
        <ConfirmDialog open onClose={close} onConfirm={close} title="Delete?" confirm="Delete flow">
          It is gone then.
        </ConfirmDialog>
      )}
    </main>
  );
}

describe('Dialog', () => {
  it('opened by a menu starts in its first field and gives the focus back', async () => {
    const user = userEvent.setup();
    show(<Opening kind="dialog" />);
    screen.getByRole('button', { name: 'More' }).focus();
    await user.keyboard('{Enter}');
    await user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
    const name = await screen.findByLabelText('Name');
    await waitFor(() => expect(document.activeElement).toBe(name));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More' })));
  });

  it('that asks starts on Cancel and repeats the verb', async () => {
    const user = userEvent.setup();
    show(<Opening kind="confirm" />);
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete?' });
    await waitFor(() =>
      expect(document.activeElement).toBe(within(dialog).getByRole('button', { name: 'Cancel' })),
    );
    await user.click(within(dialog).getByRole('button', { name: 'Delete flow' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  });
});

describe('Table', () => {
  it('says how it is sorted and asks for another order', async () => {
    const user = userEvent.setup();
    const onSort = vi.fn();
    const columns = [
      { id: 'name', header: 'Name', sortable: true, cell: (row: string) => row },
      { id: 'size', header: 'Size', sortable: true, cell: (row: string) => row.length },
    ];
    show(
      <Table
        caption="Words"
        columns={columns}
        rows={['a', 'bb']}
        rowKey={(row) => row}
        sort={{ by: 'name', down: false }}
        onSort={onSort}
      />,
    );
    expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
    await user.click(screen.getByRole('button', { name: 'Name' }));
    await user.click(screen.getByRole('button', { name: 'Size' }));
    expect(onSort.mock.calls).toEqual([[{ by: 'name', down: true }], [{ by: 'size', down: false }]]);
    expect(screen.getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual(['a', 'bb']);
  });
});

describe('small controls', () => {
  it('clears a search by button and by Escape', async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    show(<SearchField label="Search" value="abc" onChange={onChange} />);
    await user.click(screen.getByRole('button', { name: 'Clear search' }));
    await user.type(screen.getByRole('searchbox'), '{Escape}');
    expect(onChange.mock.calls).toEqual([[''], ['']]);
  });

  it('names switches and boxes, and ties their help', async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    show(
      <>
        <Switch label="On" help="It acts at once" checked={false} onChange={onChange} />
        <Checkbox label="All" checked="indeterminate" onChange={onChange} />
      </>,
    );
    await user.click(screen.getByRole('switch', { name: 'On' }));
    await user.click(screen.getByText('All'));
    expect(onChange.mock.calls).toEqual([[true], [true]]);
    expect(screen.getByRole('checkbox').getAttribute('aria-checked')).toBe('mixed');
  });

  it('takes no clicks while busy', async () => {
    const user = userEvent.setup();
    const onClick = vi.fn();
    show(
      <Button busy onClick={onClick}>
        Save
      </Button>,
    );
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(onClick).not.toHaveBeenCalled();
  });
});

describe('Loaded', () => {
  const nothing = { data: undefined, error: null, refetch: vi.fn() };

  it('shows waiting, a failure with Retry, and data even when a later try fails', async () => {
    const user = userEvent.setup();
    const { rerender } = show(<Loaded query={nothing}>{String}</Loaded>);
    expect(screen.getByRole('status').textContent).toBe('Loading');
    const refetch = vi.fn();
    rerender(<Loaded query={{ ...nothing, error: new Error('It broke'), refetch }}>{String}</Loaded>);
    expect(screen.getByRole('alert').textContent).toContain('It broke');
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(refetch).toHaveBeenCalledOnce();
    rerender(<Loaded query={{ data: 'here', error: new Error('late'), refetch }}>{String}</Loaded>);
    expect(screen.getByText('here')).toBeTruthy();
  });

  it('waits as long as the service asks, and then tries by itself', () => {
    vi.useFakeTimers();
    const refetch = vi.fn();
    const error = Object.assign(new Error('Busy'), { retryAfter: 2 });
    show(<Loaded query={{ ...nothing, error, refetch }}>{String}</Loaded>);
    expect(screen.getByRole('button', { name: 'Retry in 2 s' })).toHaveProperty('disabled', true);
    act(() => void vi.advanceTimersByTime(1000));
    act(() => void vi.advanceTimersByTime(1000));
    expect(refetch).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
});
