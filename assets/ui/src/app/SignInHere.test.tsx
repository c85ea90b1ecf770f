import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TooltipProvider } from '../ui';
import SignInHere from './SignInHere';

const person = (id: string, activeWorkspaceId: string) => ({
  id,
  email: `${id}@example.org`,
  activeWorkspaceId,
  assignedWorkspaces: [{ id: 'default' }, { id: 'other' }],
});

let client: QueryClient;
const onDone = vi.fn();
const onLeave = vi.fn();

/** The dialog over a page that is ada's in the other workspace. */
function shown(answers: (address: string) => unknown): void {
  vi.stubGlobal('fetch', (address: string) => {
    const answer = answers(address);
    return Promise.resolve(Response.json(answer, { status: answer === null ? 403 : 200 }));
  });
  client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(['me'], person('ada', 'other'));
  render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <SignInHere onDone={onDone} onLeave={onLeave} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
}

async function signIn(): Promise<void> {
  await userEvent.type(screen.getByLabelText('Password'), 'secret words');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
}

const whose = () => client.getQueryData(['me']);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

describe('signing in over a page', () => {
  it('goes on in its workspace, wherever the service begins', async () => {
    shown((address) => person('ada', address.includes('/workspace/switch?id=other') ? 'other' : 'default'));
    await signIn();
    expect(onDone).toHaveBeenCalledWith(true);
    expect(whose()).toEqual(person('ada', 'other'));
  });

  it('as somebody else makes it a page of theirs, which sends nothing', async () => {
    shown(() => person('grace', 'other'));
    await signIn();
    expect(onDone).toHaveBeenCalledWith(false);
    expect(whose()).toEqual(person('grace', 'other'));
  });

  it('is left only by whoever says that the edits may go', async () => {
    shown(() => null);
    await userEvent.keyboard('{Escape}');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.getByLabelText('Password')).toBeTruthy();
    expect(onLeave).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Leave without saving' }));
    const question = screen.getByRole('alertdialog', { name: 'Leave without saving?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Leave without saving' }));
    expect(onLeave).toHaveBeenCalledOnce();
  });
});
