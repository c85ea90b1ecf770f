import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { VersionAnswers } from '../../api/answers';
import { TooltipProvider } from '../../ui';
import { VersionAnswersLine } from './VersionAnswers';

afterEach(() => vi.unstubAllGlobals());

const sha = 'a'.repeat(40);
const given = (part: Partial<VersionAnswers>): VersionAnswers => ({
  sha,
  answers: 21,
  errors: 1,
  medianMs: 340,
  ratings: { up: 3, down: 1 },
  page: 1,
  pages: 2,
  messages: [
    {
      id: 'm1',
      chatId: 'c1',
      question: 'How much?',
      text: 'Twelve.',
      date: '2026-01-01T00:00:00Z',
      rating: 'THUMBS_UP',
      ms: 300,
    },
  ],
  ...part,
});

const shown = (answer: () => Response): void => {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(answer())),
  );
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <VersionAnswersLine flow="f1" sha={sha} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
};

it('sums up what a version answered, and lists the answers a page at a time', async () => {
  shown(() => Response.json(given({})));
  const line = await screen.findByRole('group', { name: 'Answers of this version' });
  expect(line.textContent).toMatch(/21 answers *1 failed340 ms each \(median\)Rated good: 3Rated bad: 1/);
  await userEvent.click(screen.getByRole('button', { name: 'See its answers' }));
  await screen.findByText('Twelve.');
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await vi.waitFor(() =>
    expect(vi.mocked(fetch).mock.lastCall?.[0]).toBe(`/api/v1/flow-versions/f1/${sha}/answers?page=2`),
  );
});

it('says nothing of a version that answered nobody, or of which nothing is known', async () => {
  shown(() => Response.json(given({ answers: 0, errors: 0 })));
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  expect(screen.queryByRole('group')).toBeNull();
});
