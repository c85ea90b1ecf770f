import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { InPanel } from '../panel/panel-support';
import TryCode from './TryCode';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

let sent: unknown;

async function run(code: string, answer: object): Promise<{ fault: ReturnType<typeof vi.fn> }> {
  vi.stubGlobal('fetch', (_: string, request: RequestInit) => {
    sent = JSON.parse(request.body as string);
    return Promise.resolve(Response.json(answer));
  });
  const fault = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <InPanel>
        <TryCode code={code} name={`code ${code}`} label="Code" values={{}} onFault={fault} />
      </InPanel>
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByText('Try the code'));
  return { fault };
}

const base = { console: [], consoleCut: false, milliseconds: 3 };

test('code is sent with the examples, and what it returns is shown', async () => {
  await run('return $name', { ...base, result: 'Hello Ada' });
  await userEvent.type(screen.getByRole('textbox', { name: '$name' }), 'Ada');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByText('Hello Ada');
  expect(sent).toMatchObject({ javascriptFunction: 'return $name', functionInputVariables: { name: 'Ada' } });
});

test('printed lines and the line of an error are shown', async () => {
  const console = [{ level: 'warn', text: 'careful' }];
  const error = { message: 'Error: broken (line 2)', line: 2 };
  const { fault } = await run('throw 1', { ...base, error, console });
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByText('No result: line 2');
  expect(screen.getByRole('img', { name: 'Warning' }).closest('li')?.textContent).toBe('careful');
  expect(fault).toHaveBeenCalledWith(2);
});
