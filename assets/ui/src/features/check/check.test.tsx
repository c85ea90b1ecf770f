import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Check, CheckSetup, KeptQuestion } from '../../api/checks';
import type { Flow } from '../../api/models';
import { TooltipProvider } from '../../ui';
import CheckPanel from './CheckPanel';
import { answer, caseOf, checkOf, setupOf } from './fixtures';

afterEach(() => vi.unstubAllGlobals());

interface Stand {
  setup: CheckSetup;
  kept?: KeptQuestion[];
  /** Answers to other calls, by method and the end of the path. */
  answers?: Record<string, () => Response>;
}

const refusal = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ statusCode: status, message }, { status, headers });

function shown({ setup, kept = [], answers = {} }: Stand): {
  sent: [string, unknown][];
  goToNode: () => void;
} {
  const sent: [string, unknown][] = [];
  const fetched = (url: string, init: RequestInit): Promise<Response> => {
    const call = `${init.method} ${url.split('/flow-drafts/f1')[1]}`;
    if (init.method !== 'GET') sent.push([call, init.body ? JSON.parse(String(init.body)) : null]);
    const own = answers[call];
    if (own) return Promise.resolve(own());
    if (call === 'GET /check') return Promise.resolve(Response.json(setup));
    if (call.endsWith(' /check/questions')) return Promise.resolve(Response.json(kept));
    return Promise.resolve(setup.check ? Response.json(setup.check) : refusal(404, 'No.'));
  };
  vi.stubGlobal('fetch', vi.fn(fetched));
  const goToNode = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <CheckPanel flow={{ id: 'f1' } as Flow} goToNode={goToNode} onTyped={vi.fn()} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { sent, goToNode };
}

const changed = (part: object = {}): Check =>
  checkOf(
    [
      caseOf(answer('It costs 12 euros.'), answer('It costs 15 euros.'), {
        verdict: 'changed',
        confirmed: true,
        why: [{ code: 'number', message: 'Live says 12, the draft says 15.' }],
        ...part,
      }),
    ],
    {},
    { pValue: 0.0371, note: 'Few questions.' },
  );

describe('a result', () => {
  test('says first whether a change is reported', async () => {
    shown({ setup: setupOf(changed()) });
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    within(verdict).getByRole('heading', { name: /reports a change/ });
    within(verdict).getByText('1 Changed');
  });

  test('holds the p-value and the note in a detail', async () => {
    shown({ setup: setupOf(changed()) });
    const detail = (await screen.findByText('What this rests on')).closest('details');
    expect(detail?.open).toBe(false);
    expect(detail?.textContent).toContain('p = 0.037');
    expect(detail?.textContent).toContain('in 3.7 of 100 checks');
    expect(detail?.textContent).toContain('Few questions.');
  });

  test('marks what differs, and says aloud on which side it stands', async () => {
    shown({ setup: setupOf(changed()) });
    await screen.findByText('Live says 12, the draft says 15.');
    const marks = [...document.querySelectorAll('mark')].map((one) => one.textContent);
    expect(marks).toEqual(['[only in Live: 12]', '[only in the draft: 15]']);
  });

  test('lists steps that differ on demand, and goes to one', async () => {
    const steps = [{ nodeId: 'n1', nodeLabel: 'Billing', difference: 'only-live' as const }];
    const { goToNode } = shown({ setup: setupOf(changed({ steps })) });
    const fold = (await screen.findByText('1 step differs')).closest('details');
    expect(fold?.open).toBe(false);
    await userEvent.click(screen.getByText('1 step differs'));
    await userEvent.click(screen.getByRole('button', { name: 'Billing' }));
    expect(goToNode).toHaveBeenCalledWith('n1');
  });

  test('says that the draft was changed since', async () => {
    shown({ setup: setupOf({ ...changed(), draftChanged: true }) });
    await screen.findByText(/tells of an older draft/);
  });

  test('names the cap that stopped it', async () => {
    shown({ setup: setupOf({ ...changed(), status: 'stopped', stopReason: 'tokens', total: 4 }) });
    await screen.findByText('The check stopped because its tokens were used up.');
    screen.getByText(/1 of 4 questions were answered/);
  });

  test('says why a draft could not run', async () => {
    const failed = checkOf([], { status: 'failed', error: 'The canvas has no model.' });
    shown({ setup: setupOf(failed) });
    await screen.findByRole('heading', { name: 'The check failed: the draft cannot run.' });
    screen.getByText('The canvas has no model.');
  });

  test('compares nothing where nothing is Live', async () => {
    const alone = caseOf(null, answer('Hello'), {
      verdict: null,
      why: [{ code: 'expectation', message: 'It was expected to be kind.' }],
    });
    shown({ setup: setupOf(checkOf([alone], { liveEmpty: true }, { reportsChange: true })) });
    await screen.findByRole('heading', { name: 'The draft does not meet what is expected of it.' });
    expect(screen.queryByText('Live')).toBeNull();
  });

  test('is lost with a restart, which is explained', async () => {
    const answers = { 'GET /check/c1': () => refusal(404, 'That check was not found. Run it again.') };
    shown({ setup: setupOf({ ...changed(), status: 'running' }), answers });
    await screen.findByText('That check was not found. Run it again.');
    screen.getByText(/lost when the service restarts/);
    await userEvent.click(screen.getByRole('button', { name: 'Set up a check' }));
    screen.getByRole('button', { name: 'Start the check' });
  });

  test('keeps its question with where it is from', async () => {
    const setup = setupOf(changed(), { questions: [{ text: 'How much?', date: '2026-01-01T00:00:00Z' }] });
    const { sent } = shown({ setup });
    await userEvent.click(await screen.findByRole('button', { name: 'Keep this question' }));
    await waitFor(() =>
      expect(sent).toEqual([['PUT /check/questions', [{ text: 'How much?', from: 'person' }]]]),
    );
  });
});

describe('a check that runs', () => {
  const running = { ...checkOf([caseOf(answer('a'), answer('a')), caseOf(null, null)]), completed: 1 };
  const setup = setupOf({ ...running, total: 2, status: 'running', finishedDate: null });

  test('is found when it is looked for, with how far it is', async () => {
    shown({ setup });
    await screen.findByRole('heading', { name: 'Question 2 of 2' });
    expect(screen.getByRole('progressbar').getAttribute('value')).toBe('1');
    screen.getByText(/^20 of 100,000 tokens/);
  });

  test('is told aloud as it goes', async () => {
    shown({ setup });
    await waitFor(() =>
      expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain('Question 2 of 2'),
    );
  });

  test('is stopped', async () => {
    const { sent } = shown({ setup });
    await userEvent.click(await screen.findByRole('button', { name: 'Stop' }));
    expect(sent).toEqual([['DELETE /check/c1', null]]);
    await screen.findByText(/^Stopping/);
  });
});

describe('a refused check', () => {
  test('says why in the words of the service, and when it may be tried again', async () => {
    const told = 'Too many checks are running on this server. Try again in a minute.';
    const answers = { 'POST /check': () => refusal(429, told, { 'retry-after': '60' }) };
    shown({ setup: setupOf(null), answers });
    await userEvent.click(await screen.findByRole('button', { name: 'Start the check' }));
    await screen.findByText(told);
    const again = screen.getByRole('button', { name: /^Start the check in \d+ s$/ });
    expect((again as HTMLButtonElement).disabled).toBe(true);
  });

  test('names why there can be none before it is begun', async () => {
    shown({
      setup: setupOf(null, { unavailable: { code: 'start', message: 'It must start with a chat message.' } }),
    });
    await screen.findByText('It must start with a chat message.');
  });
});

describe('risky steps', () => {
  test('run only where that is ticked', async () => {
    const setup = setupOf(null, { riskySteps: [{ id: 'h', label: 'Send mail' }] });
    const { sent } = shown({ setup });
    await screen.findByText('Send mail');
    await userEvent.click(screen.getByRole('button', { name: 'Start the check' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Run this step as well' }));
    await userEvent.click(screen.getByRole('button', { name: 'Start the check' }));
    expect(sent.map(([, body]) => (body as { includeRiskySteps: boolean }).includeRiskySteps)).toEqual([
      false,
      true,
    ]);
  });
});

describe('kept questions', () => {
  const row = (id: string, expected: KeptQuestion['expect'] = []): KeptQuestion => ({
    id,
    text: `Question ${id}`,
    expect: expected,
    from: 'written',
    keptDate: '2026-01-01T00:00:00Z',
  });

  test('show what the service refuses at the row that it names', async () => {
    const kept = [
      row('a'),
      row('b', [
        { kind: 'contains', value: 'x' },
        { kind: 'matches', value: '(' },
      ]),
    ];
    const told = 'Invalid questions: expect row 2 of question 2: the pattern cannot be used: unclosed group.';
    shown({ setup: setupOf(null), kept, answers: { 'PUT /check/questions': () => refusal(400, told) } });
    await userEvent.click(await screen.findByRole('radio', { name: 'Kept (2)' }));
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Question 2' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Edit' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Save' }));
    const second = screen.getByRole('group', { name: 'Expectation 2' });
    await within(second).findByText('The pattern cannot be used: unclosed group.');
    const first = screen.getByRole('group', { name: 'Expectation 1' });
    expect(within(first).queryByRole('alert')).toBeNull();
  });

  test('go down by one place', async () => {
    const { sent } = shown({ setup: setupOf(null), kept: [row('a'), row('b')] });
    await userEvent.click(await screen.findByRole('radio', { name: 'Kept (2)' }));
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Question 1' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Move down' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect((sent[0]?.[1] as KeptQuestion[]).map(({ id }) => id)).toEqual(['b', 'a']);
  });
});

describe('a check of a version from Dev', () => {
  test('asks its own routes, and calls the version by its name', async () => {
    const asked: string[] = [];
    vi.stubGlobal(
      'fetch',
      vi.fn((url: string) => {
        asked.push(url);
        const check = changed();
        if (url.endsWith('/questions')) return Promise.resolve(Response.json([]));
        return Promise.resolve(Response.json(url.endsWith('/check') ? setupOf(check) : check));
      }),
    );
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <TooltipProvider>
          <CheckPanel flow={{ id: 'f1' }} source="incoming" goToNode={vi.fn()} onTyped={vi.fn()} />
        </TooltipProvider>
      </QueryClientProvider>,
    );
    await screen.findByRole('heading', { name: /the version from Dev does not answer as Live does/ });
    await screen.findByText('Live says 12, the draft says 15.');
    expect([...document.querySelectorAll('mark')].map((one) => one.textContent)).toEqual([
      '[only in Live: 12]',
      '[only in the version from Dev: 15]',
    ]);
    expect(asked).toContain('/api/v1/flow-versions/incoming/f1/check');
    expect(asked).toContain('/api/v1/flow-versions/incoming/f1/check/c1');
    expect(asked.filter((url) => url.includes('flow-drafts'))).toEqual([
      '/api/v1/flow-drafts/f1/check/questions',
    ]);
  });
});
