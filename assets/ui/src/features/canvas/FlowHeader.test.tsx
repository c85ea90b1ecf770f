import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { Flow } from '../../api/models';
import type { SavedState } from '../../core/editing';
import { TooltipProvider } from '../../ui';
import { FlowHeader } from './FlowHeader';
import type { FlowTab } from './tabs';

function shown(tab: FlowTab, saved: SavedState): HTMLElement {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <FlowHeader
          flow={{ id: 'f', name: 'Shop', type: 'CHATFLOW' } as Flow}
          tab={tab}
          mayEdit
          saved={saved}
          chip={null}
          actions={null}
        />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return screen.getByRole('status');
}

describe('how edits stand', () => {
  test.each<[SavedState, string]>([
    ['saved', 'Saved'],
    ['saving', 'Saving'],
    ['offline', 'Not saved, no connection'],
    ['conflict', 'Changed by somebody else'],
  ])('is told on every tab: %s', (state, words) => {
    expect(shown('settings', state).textContent).toBe(words);
  });

  test('leads to the editor from another tab where a person has to decide', () => {
    shown('versions', 'conflict');
    const link = screen.getByRole('link', { name: 'Changed by somebody else' });
    expect(link.getAttribute('href')).toBe('/flows/f');
  });

  test('is plain words in the editor itself, which says what can be done', () => {
    expect(shown('editor', 'conflict').querySelector('a')).toBeNull();
  });
});
