import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sendHeld } from '../../../core/unsaved';
import { canvas, Fake, openFlow, pretty } from './editing-support';

let fake: Fake;
let page: Awaited<ReturnType<typeof openFlow>>;

async function open(mode: 'draft' | 'live') {
  fake = new Fake(mode);
  page = await openFlow(fake);
}

const send = (): Promise<boolean> => act(() => sendHeld());

beforeEach(() => {
  vi.stubGlobal('fetch', (address: string, request: RequestInit) => fake.fetch(address, request));
});
afterEach(() => {
  page.close();
  page.client.clear();
  localStorage.clear();
  vi.unstubAllGlobals();
});

describe('somebody who signed in again', () => {
  test('has what was drawn into a draft saved', async () => {
    await open('draft');
    act(() => page.now().draw(() => canvas('one')));
    expect(await send()).toBe(true);
    expect(fake.saves).toEqual([canvas('one')]);
  });

  test('has nothing saved that goes live', async () => {
    await open('live');
    act(() => page.now().draw(() => canvas('one')));
    expect(await send()).toBe(false);
    expect(fake.saves).toEqual([]);
  });

  test('has no text saved that waits for a button', async () => {
    await open('draft');
    act(() => page.now().begin());
    act(() => page.now().change(pretty('one')));
    expect(await send()).toBe(false);
    expect(fake.saves).toEqual([]);
  });
});
