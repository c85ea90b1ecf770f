import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { TooltipProvider } from '../../../ui';
import { PanelContext, type Panel, type Scope } from './context';
import { RowsField } from './RowsField';

afterEach(cleanup);

const panel: Panel = {
  node: 'condition_0',
  readOnly: false,
  cards: new Map(),
  offers: () => [],
  stateKeys: [],
  loopTargets: [],
  overridable: new Set(),
  NewCredential: null,
};

test('rows that were kept as text are written as a list, so that outputs can follow them', async () => {
  const change = vi.fn();
  const values = { conditions: JSON.stringify([{ value1: 'a' }, { value1: 'b' }]) };
  const scope: Scope = { card: 'c', values, change, around: values, row: null, list: null, credential: '' };
  render(
    <TooltipProvider>
      <PanelContext value={panel}>
        <RowsField
          param={{ name: 'conditions', label: 'Conditions', type: 'array', array: [] }}
          scope={scope}
        />
      </PanelContext>
    </TooltipProvider>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Remove entry 1' }));
  expect(change).toHaveBeenCalledWith({ conditions: [{ value1: 'b' }] });
});
