import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { CardParam } from '../../../api/cards';
import { InPanel, scopeOf } from '../panel/panel-support';
import AnswerKeys from './AnswerKeys';

const param = {
  name: 'llmStructuredOutput',
  label: 'Keys',
  type: 'array',
  array: [
    { name: 'key', label: 'Key', type: 'string' },
    { name: 'enumValues', label: 'Values', type: 'string', optional: true },
  ],
} as CardParam;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function shown(rows: object[], answer: object): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json(answer))),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <InPanel>
        <AnswerKeys param={param} scope={scopeOf({ llmStructuredOutput: rows })} />
      </InPanel>
    </QueryClientProvider>,
  );
}

test('what is wrong with a key stands at its row', async () => {
  const fault = { row: 1, field: 'enumValues', message: 'Values: list at least one value.' };
  shown([{ key: 'a' }, { key: 'b', enumValues: '' }], { faults: [fault] });
  const told = await screen.findByText(fault.message);
  const row = told.closest('[role=group][aria-label="Row 2"]');
  expect(row).not.toBeNull();
  expect(screen.getByText('Nothing is sent while a row above is wrong.')).toBeTruthy();
});

test('the schema and an answer that fits are shown when somebody wants them', async () => {
  shown([{ key: 'a' }], { schema: { type: 'object' }, example: { a: 'text' }, faults: [] });
  await userEvent.click(await screen.findByText('What the model is sent'));
  expect(screen.getByRole('region', { name: 'An answer that fits' }).textContent).toContain('"a": "text"');
});

test('no keys are asked about nobody', () => {
  shown([], { faults: [] });
  expect(fetch).not.toHaveBeenCalled();
});
