import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Flow } from '../../api/models';
import type { PipelineRun } from '../../api/pipelines';
import { TooltipProvider } from '../../ui';
import PipelineRuns from './PipelineRuns';
import { sampleRun } from './sampleRun';

const start = { name: 'etlStart', label: 'Start', inputs: { params: [{ name: 'town', value: 'Bern' }] } };
const flowData = JSON.stringify({
  nodes: [{ id: 'start', position: { x: 0, y: 0 }, data: start }],
  edges: [],
});
const flow = { id: 'f', name: 'Parcels', type: 'ETL', flowData } as Flow;

const run = (id: string, more: Partial<PipelineRun> = {}): PipelineRun =>
  sampleRun(id, { trigger: 'SCHEDULE', phase: 'writing', params: { town: 'Bern' }, ...more });
const going = (id: string, more: Partial<PipelineRun> = {}): PipelineRun =>
  run(id, { state: 'RUNNING', finished: null, ...more });

let runs: PipelineRun[];
/** What a start answers. */
let started: () => Response;
/** What the stream of a run tells; without it, nothing for as long as it is read. */
let told: readonly (readonly [string, unknown])[] | null;
let sent: unknown[];

beforeEach(() => {
  history.replaceState(null, '', '/flows/f/runs');
  runs = [];
  sent = [];
  told = null;
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    if (init.method === 'POST') {
      sent.push(JSON.parse(init.body as string));
      return Promise.resolve(started());
    }
    if (address.endsWith('/events')) {
      const text = told?.map(([event, data]) => `data: ${JSON.stringify({ event, data })}\n\n`).join('');
      return text === undefined ? new Promise(() => undefined) : Promise.resolve(new Response(text));
    }
    const file = { name: 'parcels.jsonl', bytes: 2048, runId: 'a', date: '2026-11-28T09:00:02.500Z' };
    return Promise.resolve(
      Response.json(address.endsWith('/files') ? [file] : { data: runs, total: runs.length }),
    );
  });
});
afterEach(() => vi.unstubAllGlobals());

const show = (mayEdit: boolean): void => {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <PipelineRuns flow={flow} mayEdit={mayEdit} unsaved={false} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
};

describe('who may only look', () => {
  it('sees runs and files, and nothing that starts, stops or deletes', async () => {
    runs = [going('b', { read: 7 }), run('a')];
    show(false);
    const under = await screen.findByRole('region', { name: 'Run under way' });
    expect(within(under).getByText('7')).toBeTruthy();
    expect(await screen.findByRole('link', { name: 'Download parcels.jsonl' })).toBeTruthy();
    expect(screen.getByText('2 kB')).toBeTruthy();
    expect(screen.queryAllByRole('button').map((button) => button.textContent)).toEqual([]);
  });
});

describe('a start', () => {
  it('sends what was typed over what is declared, and is followed to its end', async () => {
    started = () => Response.json(going('n', { dryRun: true }), { status: 202 });
    const results = [{ pageContent: 'Parcels for Thun.', metadata: { source: 'parcels.txt' } }];
    const end = run('n', { dryRun: true, results });
    told = [
      ['etl.progress', going('n', { dryRun: true })],
      ['etl.progress', end],
      ['end', '[DONE]'],
    ];
    show(true);
    const town = await screen.findByLabelText('town');
    await userEvent.clear(town);
    await userEvent.type(town, 'Thun');
    runs = [end];
    await userEvent.click(screen.getByRole('button', { name: 'Dry run' }));
    expect(sent).toEqual([{ dryRun: true, params: { town: 'Thun' } }]);
    // The results are what a dry run is started for.
    expect(await screen.findByText('Parcels for Thun.')).toBeTruthy();
    expect(location.search).toBe('?run=n');
  });

  it('that is refused says why, and shows the run that was in its way', async () => {
    started = () => {
      runs = [going('b')];
      return Response.json({ message: 'A run is under way already.' }, { status: 409 });
    };
    show(true);
    await userEvent.click(await screen.findByRole('button', { name: 'Run' }));
    expect(await screen.findByText('A run is under way already.')).toBeTruthy();
    expect(await screen.findByRole('region', { name: 'Run under way' })).toBeTruthy();
    expect(sent).toEqual([{ dryRun: false, params: {} }]);
  });

  it('is not sent again before the service takes another one', async () => {
    started = () =>
      Response.json({ message: 'Try again in a moment.' }, { status: 503, headers: { 'retry-after': '30' } });
    show(true);
    await userEvent.click(await screen.findByRole('button', { name: 'Run' }));
    const button = await screen.findByRole('button', { name: /Retry in \d+ s/ });
    await userEvent.click(button);
    await userEvent.type(screen.getByLabelText('town'), '{Enter}');
    expect(sent).toHaveLength(1);
  });
});
