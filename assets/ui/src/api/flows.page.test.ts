import { afterEach, expect, it, vi } from 'vitest';
import { copyKeptQuestions } from './flows';

afterEach(() => vi.unstubAllGlobals());

/** What is sent while the flow `a` keeps these questions: methods, addresses and bodies. */
async function sent(kept: readonly object[]): Promise<unknown[][]> {
  const answer = vi.fn(() => Promise.resolve(new Response(JSON.stringify(kept), { status: 200 })));
  vi.stubGlobal('fetch', answer);
  await copyKeptQuestions('a', 'b');
  return vi.mocked(fetch).mock.calls.map(([path, options]) => [options?.method, path, options?.body ?? null]);
}

const row = { id: '1', text: 'Hello?', expect: [], from: 'written', keptDate: '2026-01-01T00:00:00Z' };
const questions = (flow: string): string => `/api/v1/flow-drafts/${flow}/check/questions`;

it('copies questions without their ids, and none that people asked', async () => {
  const calls = await sent([row, { ...row, text: 'Theirs', from: 'person' }]);
  const body = JSON.stringify([{ text: 'Hello?', expect: [], from: 'written' }]);
  expect(calls).toEqual([
    ['GET', questions('a'), null],
    ['PUT', questions('b'), body],
  ]);
});

it('sends nothing where there is nothing to copy', async () => {
  expect(await sent([{ ...row, from: 'person' }])).toHaveLength(1);
});
