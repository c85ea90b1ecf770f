import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CopyStatus } from '../../api/gitcopy';
import type { IncomingFlow, IncomingList } from '../../api/promotion';
import { TooltipProvider } from '../../ui';
import { entryOf, incomingOf, incomingVersion, warningOf } from './fixtures';
import type { PromoteParts } from './parts';
import { PromoteFlow } from './PromoteFlow';
import PromotePage from './PromotePage';

afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, '', '/');
});

const refusal = (status: number, message: string): Response =>
  Response.json({ statusCode: status, message }, { status });

function stand(
  element: ReactNode,
  answers: Record<string, () => Response>,
  owner = true,
): { sent: [string, unknown][] } {
  const sent: [string, unknown][] = [];
  const fetched = (url: string, init: RequestInit): Promise<Response> => {
    const call = `${init.method} ${url.replace('/api/v1', '')}`;
    if (init.method !== 'GET') sent.push([call, init.body ? JSON.parse(String(init.body)) : null]);
    if (call === 'GET /auth/me')
      return Promise.resolve(Response.json({ id: 'u', isOrganizationAdmin: owner, permissions: [] }));
    return Promise.resolve((answers[call] ?? (() => refusal(404, `No ${call}.`)))());
  };
  vi.stubGlobal('fetch', vi.fn(fetched));
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>{element}</TooltipProvider>
    </QueryClientProvider>,
  );
  return { sent };
}

describe('the list', () => {
  const status = { environment: 'prod', role: 'read', connected: true, state: 'up-to-date', message: null };
  const list: IncomingList = { enabled: true, connected: true, lastCheckedAt: null, flows: [] };
  const shown = (part: Partial<IncomingList> = {}, of: Partial<CopyStatus> = {}, owner = true) =>
    stand(
      <PromotePage />,
      {
        'GET /flow-versions/github': () => Response.json({ ...status, ...of }),
        'GET /flow-versions/incoming': () => Response.json({ ...list, ...part }),
      },
      owner,
    );

  test('names each flow with its author, how much was published, and a draft that is in between', async () => {
    shown({
      flows: [
        entryOf({ hasDraft: true, changes: [incomingVersion('a'), incomingVersion('b')] }),
        entryOf({ flowId: 'f2', name: 'Sales', status: 'new' }),
      ],
    });
    const rows = (await screen.findAllByRole('row')).slice(1).map((row) => row.textContent);
    expect(rows[0]).toMatch(/^SupportUpdateDraft here.*Ada.*2 versions/);
    expect(rows[1]).toMatch(/^SalesNew/);
    expect(screen.getByRole('link', { name: 'Support' }).getAttribute('href')).toBe('/promote/f1');
  });

  test.each([
    ['is empty', {}, {}, 'Nothing new from Dev'],
    ['is on another server', {}, { environment: 'dev', role: 'copy' }, 'This server is not labelled Prod'],
    ['has no repository', { connected: false }, {}, 'No repository is connected'],
    ['has no history', { enabled: false }, {}, 'Version history is off on this server'],
  ] as const)('says why it %s', async (_, part, of, words) => {
    shown(part, of);
    await screen.findByText(words);
  });

  test('says when nothing can be read', async () => {
    shown({}, { state: 'retrying', message: 'GitHub is not reachable.' });
    await screen.findByText('GitHub is not reachable.');
  });

  test('is for the owner alone', async () => {
    shown({}, {}, false);
    await screen.findByText('Only the owner sees this');
  });
});

const parts: PromoteParts = {
  Check: () => <p>The check</p>,
  CheckLine: () => null,
  Canvases: ({ before, afterName, selected }) => (
    <p>
      Canvases {before ?? 'none'} {afterName} {selected}
    </p>
  ),
  NewCredential: ({ kinds, name, onMade }) => (
    <button onClick={() => onMade('c9')}>
      Make {kinds.join()} {name}
    </button>
  ),
  compare: () => ({ added: [], removed: [], changed: [], moved: [], edges: [] }),
};

/** The page of a flow. What is offered may be another thing from one reading to the next. */
function offered(
  flows: readonly (IncomingFlow | null)[],
  answers: Record<string, () => Response> = {},
): { sent: [string, unknown][] } {
  let at = 0;
  return stand(<PromoteFlow id="f1" parts={parts} />, {
    'GET /flow-versions/incoming/f1': () => {
      const flow = flows[Math.min(at++, flows.length - 1)];
      return flow ? Response.json(flow) : refusal(404, 'Dev has no new version of flow f1');
    },
    'GET /chatflows/f1': () => Response.json({ id: 'f1', flowData: 'live' }),
    ...answers,
  });
}

const PROMOTE = 'POST /flow-versions/incoming/f1/promote';
const done = {
  chatflow: { id: 'f1', name: 'Support' },
  restoredFrom: 'a'.repeat(40),
  version: { sha: 'e'.repeat(40) },
  historyError: null,
  created: false,
  hasDraft: true,
  unchanged: false,
};

async function promote(): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: 'Promote to Live' }));
  const dialog = screen.getByRole('alertdialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Promote to Live' }));
}

describe('promoting', () => {
  test('confirms with the id and sends what was shown', async () => {
    const { sent } = offered([incomingOf()], { [PROMOTE]: () => Response.json(done) });
    await userEvent.click(await screen.findByRole('button', { name: 'Promote to Live' }));
    const dialog = screen.getByRole('alertdialog');
    within(dialog).getByText(/^Live becomes version aaaaaaa of Dev/);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Promote to Live' }));
    await screen.findByText('Support is Live as version aaaaaaa of Dev');
    screen.getByText(/draft here was kept/);
    expect(sent).toEqual([[PROMOTE, { sha: 'a'.repeat(40), digest: 'd1' }]]);
  });

  test('asks for each thing that will fail', async () => {
    const warnings = [
      warningOf('model-new', 'It asks another model.'),
      warningOf('tool-missing', 'The tool is missing.', { blocking: true, node: 'n1' }),
      warningOf('variable-missing', 'The variable is missing.', { blocking: true }),
    ];
    offered([incomingOf({ warnings })]);
    const list = await screen.findByRole('list', { name: 'To know before you promote' });
    expect([...list.children].map((one) => one.textContent)).toEqual([
      'It will failThe tool is missing.Show n1',
      'It will failThe variable is missing.',
      'Look at thisIt asks another model.',
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Promote to Live' }));
    const dialog = screen.getByRole('alertdialog');
    const go = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Promote to Live' });
    await userEvent.click(within(dialog).getByRole('checkbox', { name: 'The tool is missing.' }));
    expect(go.disabled).toBe(true);
    await userEvent.click(within(dialog).getByRole('checkbox', { name: 'The variable is missing.' }));
    expect(go.disabled).toBe(false);
  });

  test('says that a newer version arrived, and shows it', async () => {
    const newer = incomingOf({
      version: incomingVersion('b', { title: 'Published: Tool added' }),
      changes: [],
      digest: 'd2',
    });
    const { sent } = offered([incomingOf(), newer], {
      [PROMOTE]: () => refusal(409, 'Dev has a newer version of this flow.'),
    });
    await promote();
    await screen.findByText('A newer version arrived from Dev');
    screen.getByText('Dev has a newer version of this flow.');
    screen.getByText('Published: Tool added');
    expect(sent).toHaveLength(1);
  });

  test('says that what was shown changed, and shows it as it is', async () => {
    const changed = incomingOf({ warnings: [warningOf('code-changed', 'The code is new.')], digest: 'd2' });
    offered([incomingOf(), changed], {
      [PROMOTE]: () => refusal(409, 'What was shown has changed. Look again before you promote.'),
    });
    await promote();
    await screen.findByText('What is shown here changed');
    screen.getByText('The code is new.');
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.queryByText('What is shown here changed')).toBeNull();
  });

  test('repeats any other refusal', async () => {
    offered([incomingOf()], { [PROMOTE]: () => refusal(409, 'Versions are promoted on Prod alone.') });
    await promote();
    await screen.findByText('Versions are promoted on Prod alone.');
  });

  test('leads back where nothing is offered any more', async () => {
    offered([incomingOf(), null], { [PROMOTE]: () => refusal(409, 'Dev does not offer this version.') });
    await promote();
    await screen.findByText('Dev has no new version of this flow');
    screen.getByText('Dev does not offer this version.');
  });
});

describe('what is shown before', () => {
  test('lists missing credentials, each to be made under its name, and then offers the version', async () => {
    const missing = incomingOf({ missingCredentials: [{ name: 'Team key', credentialName: 'openAIApi' }] });
    offered([missing, incomingOf({ digest: 'd2' })]);
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Promote to Live' });
    expect(button.disabled).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Create “Team key”' }));
    await userEvent.click(screen.getByRole('button', { name: 'Make openAIApi Team key' }));
    await vi.waitFor(() => expect(button.disabled).toBe(false));
    // The person made this change: it is no news.
    expect(screen.queryByText('What is shown here changed')).toBeNull();
  });

  test('tells which of several credentials is used, and hidden secrets', async () => {
    offered([
      incomingOf({
        ambiguousCredentials: [{ name: 'Key', credentialName: 'openAIApi', count: 2, using: 'oldest' }],
        warnings: [warningOf('credential-ambiguous', '2 credentials here are called Key.')],
        hiddenSecrets: 2,
      }),
    ]);
    await screen.findByText(/2 credentials here are called “Key”.*The oldest of them is used/);
    expect(screen.queryByText('2 credentials here are called Key.')).toBeNull();
    screen.getByText('2 secrets of it are not in the history of Dev.');
  });

  test('draws Live beside the version, and leads from a warning to its card', async () => {
    offered([incomingOf({ warnings: [warningOf('model-new', 'A model.', { node: 'n1' })] })]);
    await screen.findByText('Canvases live From Dev');
    screen.getByText('Prompt changed.');
    await userEvent.click(screen.getByRole('button', { name: 'Show n1' }));
    screen.getByText('Canvases live From Dev n1');
  });

  test('draws a new flow alone, and says why it cannot be checked', async () => {
    offered([
      incomingOf({
        status: 'new',
        checkUnavailable: { code: 'new-flow', message: 'There are no answers to compare with.' },
      }),
    ]);
    await screen.findByText('Canvases none From Dev');
    screen.getByText('There are no answers to compare with.');
    expect(screen.queryByRole('tab', { name: 'Check the answers' })).toBeNull();
  });

  test('has the check under a tab of its own', async () => {
    offered([incomingOf()]);
    await userEvent.click(await screen.findByRole('tab', { name: 'Check the answers' }));
    screen.getByText('The check');
  });
});
