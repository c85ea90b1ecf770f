import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { TooltipProvider, UsedBy } from './index';

const flow = (name: string, draft: boolean) => ({ id: name, name, draft });
const shown = (count: number, drafts: number, flows: ReturnType<typeof flow>[] = []): void => {
  render(
    <TooltipProvider>
      <UsedBy name="Key" {...{ count, drafts, flows }} />
    </TooltipProvider>,
  );
};

test('flows and drafts that use something are counted apart', () => {
  shown(3, 1);
  shown(2, 2);
  shown(1, 0);
  const told = screen.getAllByRole('button').map((one) => one.textContent.replace(/, flows that.*/, ''));
  expect(told).toEqual(['2 flows, 1 draft', '2 drafts', '1 flow']);
});

test('a flow whose draft alone uses it says so beside its name', async () => {
  shown(2, 1, [flow('Shop', false), flow('Desk', true)]);
  await userEvent.click(screen.getByRole('button'));
  expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual(['Shop', 'Desk (draft)']);
});
