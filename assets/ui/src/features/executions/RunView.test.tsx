import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { RunView } from './RunView';

it('opens no more steps at once than a page can draw', async () => {
  const entries = Array.from({ length: 60 }, (_, at) => ({
    nodeId: `n${at}`,
    nodeLabel: `Step ${at}`,
    status: 'FINISHED',
    data: {},
  }));
  const { container } = render(<RunView entries={entries} live={null} cut={false} over actions={{}} />);
  await userEvent.click(screen.getByText('Open the last 50'));
  expect(container.querySelectorAll('[aria-expanded="true"]')).toHaveLength(50);
  await userEvent.click(screen.getByText('Close all'));
  expect(container.querySelectorAll('[aria-expanded="true"]')).toHaveLength(0);
});
