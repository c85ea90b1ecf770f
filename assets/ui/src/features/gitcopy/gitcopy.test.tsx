import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CopyStatus } from '../../api/gitcopy';
import { TooltipProvider } from '../../ui';
import GitCopyPage from './GitCopyPage';
import { repositoryOf, statusOf, unconnected } from './fixtures';

afterEach(() => vi.unstubAllGlobals());

const refusal = (status: number, message: string): Response =>
  Response.json({ statusCode: status, message }, { status });

interface Stand {
  status: CopyStatus;
  owner?: boolean;
  /** Answers to calls, by method and the end of the path. */
  answers?: Record<string, () => Response>;
}

function shown({ status, owner = true, answers = {} }: Stand): { sent: [string, unknown][] } {
  const sent: [string, unknown][] = [];
  const fetched = (url: string, init: RequestInit): Promise<Response> => {
    const call = `${init.method} ${url.replace('/api/v1', '')}`;
    if (init.method !== 'GET') sent.push([call, init.body ? JSON.parse(String(init.body)) : null]);
    const own = answers[call];
    if (own) return Promise.resolve(own());
    if (call === 'GET /auth/me')
      return Promise.resolve(Response.json({ id: 'u', isOrganizationAdmin: owner, permissions: [] }));
    if (call === 'GET /flow-versions/github') return Promise.resolve(Response.json(status));
    if (call === 'GET /credentials') {
      return Promise.resolve(
        Response.json([
          { id: 'c1', name: 'Git token', credentialName: 'githubApi' },
          { id: 'c2', name: 'Model key', credentialName: 'openAIApi' },
        ]),
      );
    }
    return Promise.resolve(refusal(404, `No ${call}.`));
  };
  vi.stubGlobal('fetch', vi.fn(fetched));
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <GitCopyPage />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { sent };
}

describe('the status of the copy', () => {
  test('is for the owner alone', async () => {
    shown({ status: unconnected, owner: false });
    await screen.findByText('Only the owner sees this');
    expect(vi.mocked(fetch).mock.calls.some(([url]) => String(url).includes('github'))).toBe(false);
  });

  test('tells the next try and why the last one failed', async () => {
    const nextTryAt = new Date(Date.now() + 65_000).toISOString();
    shown({
      status: statusOf({ state: 'retrying', message: 'GitHub is not reachable.', nextTryAt, waiting: 3 }),
    });
    await screen.findByText('GitHub is not reachable.');
    screen.getByText('3 versions');
    screen.getByText(/^in 1 min/);
    screen.getByRole('button', { name: 'Try again now' });
    screen.getByRole('button', { name: 'Connect again' });
  });

  test('offers nothing where the history is off', async () => {
    shown({ status: { ...unconnected, enabled: false, state: 'off' } });
    await screen.findByText(/Version history is off on this server/);
    expect(screen.queryByRole('button', { name: /Copy|Connect/ })).toBeNull();
  });

  test('copies at once, and shows what the service refuses', async () => {
    shown({
      status: statusOf(),
      answers: { 'POST /flow-versions/github/push': () => refusal(409, 'GitHub is not connected.') },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Copy now' }));
    await screen.findByText('GitHub is not connected.');
  });

  test('asks before it disconnects', async () => {
    const { sent } = shown({
      status: statusOf(),
      answers: { 'DELETE /flow-versions/github': () => Response.json(unconnected) },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Disconnect' }));
    expect(sent).toEqual([]);
    const dialog = screen.getByRole('alertdialog');
    within(dialog).getByText(/the credential stays/);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Disconnect' }));
    await screen.findByText('Not connected');
    expect(sent).toEqual([['DELETE /flow-versions/github', null]]);
  });
});

describe('connecting', () => {
  const found = {
    account: 'ada',
    repos: [
      repositoryOf('ada/new'),
      repositoryOf('ada/open', { private: false, empty: false, pushedAt: '2026-01-01T00:00:00Z' }),
    ],
  };
  const lists = { 'POST /flow-versions/github/repos': () => Response.json(found) };
  const begin = async (): Promise<HTMLElement> => {
    await userEvent.click(await screen.findByRole('button', { name: 'Connect a repository' }));
    return screen.getByRole('dialog');
  };
  const paste = async (token: string): Promise<void> => {
    await userEvent.type(await screen.findByLabelText(/^Token of GitHub/), token);
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  };

  test('goes from a token over the list to the label, and labels before it connects', async () => {
    const { sent } = shown({
      status: unconnected,
      answers: {
        ...lists,
        'PUT /flow-versions/environment': () => Response.json({ ...unconnected, environment: 'dev' }),
        'PUT /flow-versions/github': () => Response.json(statusOf({ environment: 'dev' })),
      },
    });
    await begin();
    await paste(' ghx_1 ');
    const one = await screen.findByRole('radio', { name: 'ada/new' });
    expect(one.closest('label')?.textContent).toContain('PrivateEmptynothing was pushed yet');
    await userEvent.click(one);
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('radio', { name: 'Dev' }));
    await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
    await screen.findByText('Up to date');
    expect(sent).toEqual([
      ['POST /flow-versions/github/repos', { token: 'ghx_1' }],
      ['PUT /flow-versions/environment', { environment: 'dev' }],
      ['PUT /flow-versions/github', { repo: 'ada/new', token: 'ghx_1' }],
    ]);
  });

  test('never shows the token again', async () => {
    shown({
      status: statusOf({ state: 'stopped', message: 'The credential of the copy was deleted.' }),
      answers: { ...lists, 'PUT /flow-versions/github': () => Response.json(statusOf()) },
    });
    const open = (): Promise<void> => userEvent.click(screen.getByRole('button', { name: 'Connect again' }));
    await screen.findByText('The credential of the copy was deleted.');
    await open();
    await paste('ghx_2');
    await screen.findByRole('radio', { name: 'ada/new' });
    // Nothing is lost by a stray Escape, and then it is gone.
    await userEvent.keyboard('{Escape}');
    screen.getByText('Not saved yet.');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await open();
    expect(screen.getByLabelText<HTMLInputElement>(/^Token of GitHub/).value).toBe('');
    expect(document.body.innerHTML).not.toContain('ghx_2');
  });

  test('says beside the token what is wrong with it, and goes on without a list', async () => {
    const { sent } = shown({
      status: unconnected,
      answers: {
        'POST /flow-versions/github/repos': () => refusal(400, 'GitHub does not take this token.'),
        'PUT /flow-versions/github': () => refusal(409, 'The repository has other content.'),
      },
    });
    await begin();
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
    expect(screen.getByLabelText(/^Token of GitHub/).getAttribute('aria-invalid')).toBe('true');
    expect(sent).toEqual([]);
    await paste('ghx_3');
    await screen.findByText('GitHub does not take this token.');
    await userEvent.click(screen.getByRole('button', { name: 'Name the repository yourself' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Repository' }), 'ada/flows');
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
    await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
    await screen.findByText('The repository has other content.');
    expect(sent.at(-1)).toEqual(['PUT /flow-versions/github', { repo: 'ada/flows', token: 'ghx_3' }]);
  });

  test('takes saved credentials of a git host alone', async () => {
    const { sent } = shown({ status: unconnected, answers: lists });
    await begin();
    await userEvent.click(screen.getByRole('radio', { name: 'A saved credential' }));
    await userEvent.click(screen.getByRole('combobox', { name: /Credential/ }));
    expect(screen.getAllByRole('option').map((one) => one.textContent)).toEqual(['Git token']);
    await userEvent.click(screen.getByRole('option', { name: 'Git token' }));
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByRole('radio', { name: 'ada/open' });
    expect(sent).toEqual([['POST /flow-versions/github/repos', { credentialId: 'c1' }]]);
  });

  test('warns of a public repository, and creates a private one', async () => {
    const { sent } = shown({
      status: unconnected,
      answers: {
        ...lists,
        'POST /flow-versions/github/repos/new': () => Response.json(repositoryOf('ada/flows')),
      },
    });
    await begin();
    await paste('ghx_4');
    await userEvent.click(await screen.findByRole('radio', { name: 'ada/open' }));
    screen.getByText(/Everybody can read this repository/);
    screen.getByText(/only if that is the history of this server/);
    await userEvent.click(screen.getByRole('button', { name: 'Create a repository' }));
    await userEvent.type(screen.getByLabelText('Name of the new repository'), 'flows');
    await userEvent.click(screen.getByRole('button', { name: 'Create' }));
    expect((await screen.findByRole<HTMLInputElement>('radio', { name: 'ada/flows' })).checked).toBe(true);
    expect(sent.at(-1)).toEqual(['POST /flow-versions/github/repos/new', { name: 'flows', token: 'ghx_4' }]);
  });
});

describe('the label', () => {
  test('is not switched between Dev and Prod while a repository is connected', async () => {
    shown({ status: statusOf({ environment: 'dev' }) });
    expect((await screen.findByRole<HTMLInputElement>('radio', { name: 'Prod' })).disabled).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Not labelled' }).disabled).toBe(false);
    screen.getByText(/Disconnect the repository before this server becomes Prod/);
  });

  test('is saved when it is chosen', async () => {
    const { sent } = shown({
      status: unconnected,
      answers: {
        'PUT /flow-versions/environment': () =>
          Response.json({ ...unconnected, environment: 'prod', role: 'read' }),
      },
    });
    await userEvent.click(await screen.findByRole('radio', { name: 'Prod' }));
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText(/Connect the repository that Dev copies to/);
    expect(sent).toEqual([['PUT /flow-versions/environment', { environment: 'prod' }]]);
  });
});
