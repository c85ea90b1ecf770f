import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScheduleNote } from './ScheduleNote';

const draft = JSON.stringify({
  nodes: [
    {
      id: 's',
      position: { x: 0, y: 0 },
      data: { name: 'startAgentflow', label: 'Start', inputs: { startInputType: 'scheduleInput' } },
    },
  ],
  edges: [],
});

function shown(canvas: string, status: object): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json(status))),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ScheduleNote flow="f1" draft={canvas} />
    </QueryClientProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

describe('a publish that brings a schedule', () => {
  test('warns that it is switched on', async () => {
    shown(draft, { enabled: false, canEnable: false, record: null, startsWithPublish: true });
    await screen.findByText('Publishing switches the schedule on');
  });

  test('says nothing where the schedule keeps its switch', async () => {
    shown(draft, { enabled: false, canEnable: true, record: {} });
    await waitFor(() => expect(fetch).toHaveBeenCalled());
    expect(screen.queryByText(/switches the schedule on/)).toBeNull();
  });

  test('asks nothing where the clock starts nothing', () => {
    shown('{"nodes":[],"edges":[]}', {});
    expect(fetch).not.toHaveBeenCalled();
  });
});
