import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ChangeList } from './ChangeList';

const diff = { added: [], removed: [], changed: [], moved: [], edges: [] } as never;

it('shows every change below few sentences, and folds them below many', () => {
  const sentences = (count: number): string[] => Array.from({ length: count }, (_, at) => `Change ${at}.`);
  const { container, rerender } = render(<ChangeList diff={diff} sentences={sentences(3)} />);
  expect(container.querySelector('details')?.open).toBe(true);
  rerender(<ChangeList key="many" diff={diff} sentences={sentences(60)} />);
  expect(container.querySelector('details')?.open).toBe(false);
});
