import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { readDoc } from './document/doc';
import { Outline } from './Outline';

it('names groups, how many cards they have, and where a card is in one', () => {
  const position = { x: 0, y: 0 };
  const flow = readDoc(
    JSON.stringify({
      nodes: [
        { id: 'a', position, data: { id: 'a', name: 'llmAgentflow', label: 'Writer' } },
        {
          id: 'g',
          type: 'stickyNote',
          position,
          data: { id: 'g', name: 'stickyNoteAgentflow', label: 'Drafts', group: ['a'] },
        },
      ],
      edges: [],
    }),
  );
  render(<Outline flow={flow} problems={new Map()} selected={null} onSelect={() => undefined} />);
  expect(screen.queryByText('Note')).toBeNull();
  expect(screen.getByText('Drafts')).toBeTruthy();
  expect(screen.getByText('group of 1 card')).toBeTruthy();
  expect(screen.getByText('In the group Drafts')).toBeTruthy();
});
