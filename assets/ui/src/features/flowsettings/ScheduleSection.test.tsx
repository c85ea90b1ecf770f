import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Flow } from '../../api/models';
import { TooltipProvider } from '../../ui';
import { ScheduleSection } from './ScheduleSection';

const record = {
  cronExpression: '0 9 * * MON',
  timezone: 'Europe/Berlin',
  enabled: true,
  nextRunAt: '2026-05-04T07:00:00.000Z',
  upcomingRuns: ['2026-05-04T07:00:00.000Z', '2026-05-11T07:00:00.000Z'],
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
function shown(status: object, data: object[] = []): void {
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
      <TooltipProvider>
        <ScheduleSection flow={{ id: 'f1' } as Flow} mayEdit />
      </TooltipProvider>
    </QueryClientProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

describe('the schedule of a flow', () => {
  test('shows its times and what became of the last ones', async () => {
    shown({ enabled: true, canEnable: true, record }, rows);
    await screen.findByText('0 9 * * MON');
    expect(screen.getByText(/Next run:/)).toBeTruthy();
    expect(screen.getByRole('list', { name: 'Times after that' }).children).toHaveLength(1);
    await screen.findByText('Failed');
    expect(screen.getByText(/No answer\./)).toBeTruthy();
    expect(screen.getByText('3 times')).toBeTruthy();
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
