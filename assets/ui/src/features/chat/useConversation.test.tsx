import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useConversation } from './useConversation';

afterEach(() => vi.unstubAllGlobals());

test('a second question is not taken, and says so', async () => {
  let answer = (_: Response): void => undefined;
  const calls = vi.fn(() => new Promise<Response>((done) => (answer = done)));
  vi.stubGlobal('fetch', calls);
  const { result } = renderHook(() => useConversation('f'));
  const ask = (question: string): boolean => result.current.ask({ question, files: [], source: 'draft' });
  act(() => {
    expect(ask('one')).toBe(true);
    expect(ask('two')).toBe(false);
  });
  answer(Response.json({ text: 'Hello' }));
  await waitFor(() => expect(result.current.busy).toBe(false));
  expect(result.current.conversation.turns.map(({ question }) => question)).toEqual(['one']);
  expect(calls).toHaveBeenCalledOnce();
  act(() => expect(ask('three')).toBe(true));
});
