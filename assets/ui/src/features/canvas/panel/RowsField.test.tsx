import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { InPanel, scopeOf } from './panel-support';
import { RowsField } from './RowsField';

afterEach(cleanup);

test('rows that were kept as text are written as a list, so that outputs can follow them', async () => {
  const change = vi.fn();
  const values = { conditions: JSON.stringify([{ value1: 'a' }, { value1: 'b' }]) };
  render(
    <InPanel>
      <RowsField
        param={{ name: 'conditions', label: 'Conditions', type: 'array', array: [] }}
        scope={scopeOf(values, change)}
      />
    </InPanel>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Remove row 1' }));
  expect(change).toHaveBeenCalledWith({ conditions: [{ value1: 'b' }] });
});

test('a field of a row that depends on its neighbour is shown beside it', () => {
  const values = { keys: [{ type: 'enum' }, { type: 'number' }] };
  render(
    <InPanel>
      <RowsField
        param={{
          name: 'keys',
          label: 'Keys',
          type: 'array',
          array: [{ name: 'values', label: 'Values', type: 'string', show: { type: 'enum' } }],
        }}
        scope={scopeOf(values)}
      />
    </InPanel>,
  );
  expect(screen.getAllByRole('textbox', { name: /^Values/ })).toHaveLength(1);
});
