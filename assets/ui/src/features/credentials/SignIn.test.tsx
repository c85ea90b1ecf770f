import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Credential } from '../../api/credentials';
import { Toaster, TooltipProvider } from '../../ui';
import { SignIn } from './SignIn';

const credential = { id: 'c1', name: 'Work mail' } as Credential;
const redirectUri = 'https://here/api/v1/oauth2-credential/callback';

/** The button, the window it opens, and the service's answer. */
function shown(status: number, body: object): { page: { location: { href: string }; close: () => void } } {
  const page = { location: { href: '' }, close: vi.fn() };
  vi.stubGlobal(
    'open',
    vi.fn(() => page),
  );
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json(body, { status }))),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <SignIn credential={credential} />
        <Toaster />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { page };
}

afterEach(() => vi.unstubAllGlobals());

describe('signing in to a credential', () => {
  test('opens the page of the provider, and shows the address to register', async () => {
    const authorizationUrl = 'https://accounts.google.com/o/oauth2/v2/auth?state=s';
    const { page } = shown(200, { message: 'Sign in at Google.', authorizationUrl, redirectUri });
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText(redirectUri);
    expect(vi.mocked(fetch).mock.calls[0]?.[0]).toBe('/api/v1/oauth2-credential/authorize/c1');
    expect(page.location.href).toBe(authorizationUrl);
    new BroadcastChannel('flowkeep-sign-in').postMessage({ type: 'OAUTH2_SUCCESS' });
    await screen.findByText(/Work mail.* was saved/);
  });

  test('closes the window again when the service refuses', async () => {
    const { page } = shown(400, { message: 'Client ID is empty.' });
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('Client ID is empty.');
    expect(page.close).toHaveBeenCalled();
    expect(page.location.href).toBe('');
  });
});
