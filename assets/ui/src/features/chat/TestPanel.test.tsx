import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DraftStatus, Flow } from '../../api/models';
import { TooltipProvider } from '../../ui';
import TestPanel, { type RunShown, type TestPanelProps } from './TestPanel';

const start = (inputs: object): string =>
  JSON.stringify({
    nodes: [{ id: 's', position: { x: 0, y: 0 }, data: { id: 's', name: 'startAgentflow', inputs } }],
    edges: [],
  });
const form = start({
  startInputType: 'formInput',
  formTitle: 'Order',
  formInputTypes: [{ type: 'string', name: 'city', label: 'City' }],
});
const chat = start({ startInputType: 'chatInput' });

const stream = (...events: [event: string, data: unknown][]): Response =>
  new Response(
    events.map(([event, data]) => `message:\ndata:${JSON.stringify({ event, data })}\n\n`).join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  );

let asked: Record<string, unknown>[];
/** What the service says to the next question. */
let answer: () => Response | Promise<Response>;

/** The panel beside a canvas whose draft says this. */
function shown(flowData: string, props: Partial<TestPanelProps> = {}) {
  asked = [];
  vi.stubGlobal('fetch', (address: string, { body }: RequestInit = {}) => {
    if (!address.includes('/internal-prediction/')) return Promise.resolve(Response.json({}));
    asked.push(JSON.parse(body as string) as Record<string, unknown>);
    return Promise.resolve(answer());
  });
  const flow = { id: 'f', name: 'Flow', type: 'AGENTFLOW', flowData, chatbotConfig: null } as unknown as Flow;
  const status = { mode: 'draft', draft: { flowData, updatedDate: 'd' } } as unknown as DraftStatus;
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(['me'], { id: 'ada', activeWorkspaceId: 'w', permissions: [] });
  const showRun = vi.fn();
  render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <TestPanel
          flow={flow}
          status={status}
          unsaved={false}
          save={() => Promise.resolve(true)}
          goToNode={() => undefined}
          showRun={showRun}
          onClose={() => undefined}
          {...props}
        />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { showRun };
}

const refusal = (): Response => Response.json({ message: 'Too many.' }, { status: 500 });

afterEach(() => vi.unstubAllGlobals());

describe('the form of a flow', () => {
  it('has the focus when the panel opens, gives it to the composer, and gets it back', async () => {
    shown(form);
    let end = (_: Response): void => undefined;
    answer = () => new Promise<Response>((done) => (end = done));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('City')));
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(document.activeElement?.tagName).toBe('TEXTAREA'));
    end(refusal());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('City')));
  });

  it('comes back as it was filled in when its run failed', async () => {
    shown(form);
    answer = refusal;
    await userEvent.type(await screen.findByLabelText('City'), 'Ulm');
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    await screen.findByText('Too many.');
    expect((await screen.findByLabelText<HTMLInputElement>('City')).value).toBe('Ulm');
  });
});

it('keeps the remark beside a decision that failed', async () => {
  shown(chat);
  const action = {
    id: 'p1',
    mapping: { approve: 'Proceed', reject: 'Reject' },
    elements: [{ type: 'agentflowv2-approve-button', label: 'Proceed' }],
    data: { nodeLabel: 'Review', input: { humanInputEnableFeedback: true } },
  };
  answer = () => stream(['metadata', { chatId: 'c' }], ['action', action]);
  await userEvent.type(screen.getByRole('textbox'), 'Begin{Enter}');
  await userEvent.type(await screen.findByLabelText(/Your remark/), 'Too long');
  answer = refusal;
  await userEvent.click(screen.getByRole('button', { name: 'Proceed' }));
  await screen.findByText('Too many.');
  expect((await screen.findByLabelText<HTMLInputElement>(/Your remark/)).value).toBe('Too long');
});

it('tries again with the canvas as it is seen now', async () => {
  const order: string[] = [];
  const save = (): Promise<boolean> => Promise.resolve(order.push('saved') > 0);
  shown(chat, { unsaved: true, save });
  answer = () => {
    order.push('asked');
    return refusal();
  };
  await userEvent.type(screen.getByRole('textbox'), 'Hello{Enter}');
  await userEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(order).toEqual(['saved', 'asked', 'saved', 'asked']));
  expect(asked.map(({ question }) => question)).toEqual(['Hello', 'Hello']);
  expect(within(screen.getByRole('group', { name: 'Conversation' })).getAllByText('Hello')).toHaveLength(1);
});

describe('the canvas', () => {
  it('hears of the steps of a run, and not of each token of its answer', async () => {
    let send = (_: string): void => undefined;
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (control) => {
        send = (text) => control.enqueue(encoder.encode(text));
      },
    });
    const { showRun } = shown(chat);
    answer = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    await userEvent.type(screen.getByRole('textbox'), 'Hello{Enter}');
    const tell = (event: string, data: unknown): void =>
      send(`message:\ndata:${JSON.stringify({ event, data })}\n\n`);
    tell('nextAgentFlow', { nodeId: 'a', nodeLabel: 'Writer', status: 'INPROGRESS' });
    await waitFor(() => expect(showRun).toHaveBeenCalled());
    const before = showRun.mock.calls.length;
    for (const token of ['One', ' two', ' three']) {
      tell('token', token);
      await screen.findByText(new RegExp(`${token.trim()}$`));
    }
    expect(showRun.mock.calls.length).toBe(before);
  });
});

it('shows the step of a card in the last of many items, and gives it the focus', async () => {
  const { showRun } = shown(chat);
  const item = (index: number) => ({
    nodeId: 'a',
    nodeLabel: `Step ${index}`,
    status: 'FINISHED',
    data: { name: 'llmAgentflow', parentNodeId: 'each', iterationIndex: index },
  });
  const each = { nodeId: 'each', nodeLabel: 'Each', status: 'FINISHED', data: {} };
  const steps = [...Array.from({ length: 12 }, (_, at) => item(at)), each];
  answer = () => stream(['agentFlowExecutedData', steps]);
  await userEvent.type(screen.getByRole('textbox'), 'Hello{Enter}');
  await screen.findByText('Step 0');
  expect(screen.queryByText('Step 11')).toBeNull();
  const run = showRun.mock.lastCall?.[0] as RunShown;
  act(() => run.open('a'));
  expect(document.activeElement?.textContent).toContain('Step 11');
});
