import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Flow } from '../../api/models';
import { TooltipProvider } from '../../ui';
import SchedulePanel from './SchedulePanel';
import { ScheduleSection } from './ScheduleSection';

const record = {
  cronExpression: '0 9 * * MON',
  timezone: 'Europe/Berlin',
  enabled: true,
  nextRunAt: '2026-05-04T07:00:00.000Z',
  upcomingRuns: ['04', '11', '18', '25', '31'].map((day) => `2026-05-${day}T07:00:00.000Z`),
};
const rows = [
  {
    id: '1',
    status: 'FAILED',
    scheduledAt: '2026-04-27T07:00:00.000Z',
    error: 'No answer.',
    elapsedTimeMs: 1200,
  },
  { id: '2', status: 'SKIPPED', scheduledAt: '2026-04-20T07:00:00.000Z', count: 3 },
];

/** The panel, in front of a service with this schedule. */
function shown(status: object, data: object[] = [], panel?: ReactNode): void {
  const me = {
    id: 'ada',
    activeWorkspaceId: 'w',
    isOrganizationAdmin: true,
    permissions: ['executions:delete'],
  };
  const answer = (address: string): object =>
    address.includes('/auth/me')
      ? me
      : address.includes('/trigger-logs')
        ? { data, total: data.length, page: 1, limit: 10 }
        : status;
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => Promise.resolve(Response.json(answer(address)))),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>{panel ?? <ScheduleSection flow={{ id: 'f1' } as Flow} mayEdit />}</TooltipProvider>
    </QueryClientProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

describe('the schedule of a flow', () => {
  test('shows its times and what became of the last ones', async () => {
    shown({ enabled: true, canEnable: true, record }, rows);
    await screen.findByText('0 9 * * MON');
    expect(screen.getByText(/^Every Monday at 09:00.*Europe\/Berlin/)).toBeTruthy();
    expect(screen.getByText(/Next run:/)).toBeTruthy();
    expect(screen.getByRole('list', { name: 'Times after that' }).children).toHaveLength(4);
    await screen.findByText('Failed');
    expect(screen.getByText(/No answer\./)).toBeTruthy();
    expect(screen.getByText('3 times')).toBeTruthy();
  });

  const draft = {
    cronExpression: '30 7 * * *',
    timezone: 'UTC',
    upcomingRuns: ['04', '05', '06', '07', '08'].map((day) => `2026-05-${day}T07:30:00.000Z`),
  };

  test('says the times of what is drawn while nothing is published', async () => {
    const none = { enabled: false, canEnable: false, record: null, startsWithPublish: true, draft };
    shown(none, [], <SchedulePanel flow={{ id: 'f1' } as Flow} mayEdit />);
    await screen.findByText('Live does not start by a schedule.');
    expect(screen.getByText(/^Once it is published, what is drawn comes/)).toBeTruthy();
    expect(screen.getByText(/^Every day at 07:30.*UTC/)).toBeTruthy();
    expect(screen.getByText(/Next run:/)).toBeTruthy();
    expect(screen.getByRole('list', { name: 'Times after that' }).children).toHaveLength(4);
  });

  test('says what publishing makes of the times of Live', async () => {
    shown({ enabled: true, canEnable: true, record, draft });
    await screen.findByText(/^Once it is published, what is drawn comes/);
    expect(screen.getByText('0 9 * * MON')).toBeTruthy();
    expect(screen.getByText('30 7 * * *')).toBeTruthy();
  });

  test('forgets a row of its log once that was confirmed', async () => {
    shown({ enabled: true, canEnable: true, record }, rows);
    const [first] = await screen.findAllByRole('button', { name: /^Delete the row of/ });
    if (first) await userEvent.click(first);
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const call = vi.mocked(fetch).mock.calls.find(([, init]) => init?.method === 'DELETE');
    expect(call?.[1]?.body).toBe('{"logIds":["1"]}');
  });

  test('is switched off by its switch', async () => {
    shown({ enabled: true, canEnable: true, record });
    await userEvent.click(await screen.findByRole('switch'));
    const call = vi.mocked(fetch).mock.calls.find(([, init]) => init?.method === 'PATCH');
    expect(call?.[0]).toBe('/api/v1/chatflows/f1/schedule/enabled');
    expect(call?.[1]?.body).toBe('{"enabled":false}');
  });

  test('says why nothing can be switched on', async () => {
    shown({ enabled: false, canEnable: false, record: null, reason: 'Live does not start by a schedule.' });
    await screen.findByText('Live does not start by a schedule.');
    expect(screen.queryByRole('switch')).toBeNull();
  });
});
