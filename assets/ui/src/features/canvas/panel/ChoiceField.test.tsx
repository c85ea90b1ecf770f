import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Json } from '../../../core/nodes';
import { ChoiceField } from './ChoiceField';
import { InPanel, scopeOf } from './panel-support';

let asked: Json[] = [];
let client: QueryClient;
let gate: Promise<void>;
beforeEach(() => {
  asked = [];
  gate = Promise.resolve();
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  vi.stubGlobal('fetch', async (_: string, request: RequestInit) => {
    asked.push((JSON.parse(request.body as string) as { inputs: Json }).inputs);
    await gate;
    return Response.json([{ name: 'small', label: `Small ${asked.length}` }]);
  });
});
afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
});

function Choice({ around }: { around: Json }): ReactNode {
  return (
    <QueryClientProvider client={client}>
      <InPanel>
        <ChoiceField
          param={{ name: 'model', label: 'Model', type: 'asyncOptions', loadMethod: 'listThings' }}
          scope={scopeOf(around)}
        />
      </InPanel>
    </QueryClientProvider>
  );
}

test('a list is asked for when it is opened, and not with what is typed beside it', async () => {
  const view = render(<Choice around={{ base: '' }} />);
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByRole('combobox'));
  await screen.findByText('Small 1');
  await userEvent.keyboard('{Escape}');
  for (const base of ['h', 'ht', 'htt']) view.rerender(<Choice around={{ base }} />);
  expect(asked).toEqual([{ base: '' }]);
  let go = (): void => undefined;
  gate = new Promise((done) => (go = done));
  await userEvent.click(screen.getByRole('combobox'));
  expect(screen.getByText(/Small/).textContent).toBe('Small 1');
  go();
  await screen.findByText('Small 2');
  expect(asked).toEqual([{ base: '' }, { base: 'htt' }]);
});

test('the name of a chosen record is asked for once', async () => {
  const model = '0b9f3c1e-1111-4222-8333-444455556666';
  const view = render(<Choice around={{ model, base: '' }} />);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  for (const base of ['h', 'ht']) view.rerender(<Choice around={{ model, base }} />);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked).toHaveLength(1);
});

test('an open list is read anew on demand, and says meanwhile that it is', async () => {
  render(<Choice around={{ base: '' }} />);
  await userEvent.click(screen.getByRole('combobox'));
  await screen.findByText('Small 1');
  let go = (): void => undefined;
  gate = new Promise((done) => (go = done));
  const refresh = screen.getByRole('button', { name: 'Read the list again' });
  await userEvent.click(refresh);
  await vi.waitFor(() => expect(refresh.getAttribute('aria-busy')).toBe('true'));
  // What is there can be chosen until the new list comes.
  expect(screen.getByText('Small 1')).toBeTruthy();
  go();
  await screen.findByText('Small 2');
  expect(screen.queryByText('Small 1')).toBeNull();
  expect(asked).toEqual([{ base: '' }, { base: '' }]);
});

test('a list that could not be read says why, and is there after a refresh', async () => {
  const refuse = vi.fn(() => Promise.resolve(Response.json({ message: 'No key.' }, { status: 400 })));
  const answers = globalThis.fetch;
  vi.stubGlobal('fetch', refuse);
  render(<Choice around={{ base: '' }} />);
  await userEvent.click(screen.getByRole('combobox'));
  await screen.findByText('No key.');
  vi.stubGlobal('fetch', answers);
  await userEvent.click(screen.getByRole('button', { name: 'Read the list again' }));
  await screen.findByText('Small 1');
  expect(screen.queryByText('No key.')).toBeNull();
});
